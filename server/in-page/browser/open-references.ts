import { findInside, findReferences } from './find-references.ts'
import type { NamedReference } from './reference-signs.ts'

declare global {
  interface Window {
    /** Collapsed parts that were clicked. */
    __quireOpened?: WeakSet<Element>
  }
}

/**
 * Opens the collapsed parts of the API references in the page, as a reader would. Never clicks what sends a request, submits
 * a form or leads elsewhere. A part is clicked once, because some parts close others.
 *
 * @param budget max clicks, and max milliseconds for them.
 * @return the number of changes. More parts may have appeared; call again once the page is quiet.
 */
export default async function openReferences(
  references: readonly NamedReference[],
  budget: { clicks: number; timeMs: number },
): Promise<number> {
  // References draw what was opened in one turn together. Swagger UI needs 54 s for 27 operations, and 14 s for 5 at a time.
  const minTurnMs = 50
  const slowTurnMs = 500
  let perTurn = 4
  let inTurn = 0

  window.__quireOpened ??= new WeakSet()
  const opened = window.__quireOpened
  const endsAt = performance.now() + budget.timeMs
  let clicks = 0
  // A click may submit a form by a script that we do not know.
  const prevent = (event: Event) => event.preventDefault()
  window.addEventListener('submit', prevent, true)
  for (const { signs, root } of findReferences(references)) {
    for (const [selector, name, value] of signs.attributes ?? []) {
      for (const element of [root, ...findInside(root, [selector])])
        clicks += setAttribute(element, { selector, name, value })
    }
    const closed = [...Object.values(signs.consoles).flat(), ...(signs.popups ?? [])]
    for (const details of findInside(root, ['details:not([open])'])) details.setAttribute('open', '')
    const collapsed = ['[aria-expanded="false"]', ...(signs.collapsed ?? [])]
    const clicked = new Set<Node>()
    const around = new Set<Node>()
    for (const part of findInside(root, collapsed)) {
      if (clicks >= budget.clicks || performance.now() > endsAt) break
      // A part inside another one may be the same part, and a second click would close it.
      const above = listAbove(part)
      if (opened.has(part) || around.has(part) || above.some(node => clicked.has(node))) continue
      if (!part.matches(collapsed.join(',')) || !mayClick(part, closed)) continue
      opened.add(part)
      clicked.add(part)
      for (const node of above) around.add(node)
      clicks += 1
      ;(part as HTMLElement).click()
      inTurn += 1
      if (inTurn < perTurn) continue
      const startedAt = performance.now()
      await new Promise(done => setTimeout(done, minTurnMs))
      perTurn = performance.now() - startedAt > slowTurnMs ? Math.max(1, perTurn / 2) : perTurn * 2
      inTurn = 0
    }
  }
  window.removeEventListener('submit', prevent, true)
  return clicks
}

/** Sets an attribute of an element that matches. Returns the number of changes. */
function setAttribute(element: Element, set: { selector: string; name: string; value: string }): number {
  if (!element.matches(set.selector) || element.getAttribute(set.name) === set.value) return 0
  element.setAttribute(set.name, set.value)
  return 1
}

/** Lists the nodes that contain an element, in its tree. */
function listAbove(element: Element): Node[] {
  const above: Node[] = []
  for (let node = element.parentNode; node; node = node.parentNode) above.push(node)
  return above
}

const leading = 'a[href], [disabled], [aria-disabled="true"], [inert]'
const popups =
  'select, input, textarea, [role="combobox"], [role="listbox"], [role="menuitem"], [aria-haspopup]:not([aria-haspopup="false"])'

/** @param closed selectors of parts that stay closed */
function mayClick(part: Element, closed: readonly string[]): boolean {
  if (!part.isConnected || !('click' in part) || part.closest(leading) || part.matches(popups)) return false
  if (closed.length > 0 && part.closest(closed.join(','))) return false
  if (part instanceof HTMLButtonElement && part.form && part.type === 'submit') return false
  return part.checkVisibility()
}
