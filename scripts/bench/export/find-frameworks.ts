import type { Page } from 'puppeteer'

/** Number of elements that each framework has taken over, by its name. */
export type Frameworks = Record<string, number>

/** Counts the elements that frameworks have marked as theirs. A page whose scripts do not run has none. */
export async function findFrameworks(page: Page, expression?: string): Promise<Frameworks> {
  if (expression !== undefined) return (await page.evaluate(expression)) ? { own: 1 } : {}
  return page.evaluate(countMarks)
}

/** Compares a copy with the origin: every framework must own about as many elements. Undefined if the origin has none. */
export function isHydrated(wanted: Frameworks, given: Frameworks): boolean | undefined {
  const names = Object.keys(wanted)
  if (names.length === 0) return undefined
  return names.every(name => (given[name] ?? 0) >= 0.9 * (wanted[name] ?? 0))
}

/** Runs inside a page, so it must be self-contained. */
function countMarks(): Record<string, number> {
  const marks: [string, RegExp][] = [
    ['react', /^__reactFiber\$|^__reactContainer\$|^_reactRootContainer$/],
    ['vue', /^__vue_app__$|^__vue__$|^__vueParentComponent$|^_vnode$/],
    ['svelte', /^__svelte|^__click$|^__attributes$/],
    ['preact', /^__k$/],
    ['alpine', /^_x_dataStack$/],
    ['angular', /^__ngContext__$/],
  ]
  const counts: Record<string, number> = {}
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  for (const element of document.querySelectorAll('*')) {
    const keys = Object.keys(element)
    for (const [name, mark] of marks) if (keys.some(key => mark.test(key))) count(name)
    if (element.localName.includes('-') && customElements.get(element.localName)) count('custom elements')
  }
  return counts
}
