import { decode } from './decode.ts'

const smallScreen = '(max-width: 50rem)'
/** A page is folded if it is longer than so many screens. */
const minScreens = 3
/** A section of at most this part of a screen stays open. */
const maxOpen = 0.6

/**
 * Folds the long sections of a long page on a small screen. A link into a section opens it, and so does the search of most browsers; a
 * button opens all for the others. Without this script, and on larger screens, everything is open.
 */
export function foldSections(): void {
  const screen = matchMedia(smallScreen)
  const headings = [...document.querySelectorAll<HTMLElement>('main > h2, .columns > div > h2')]
  const isLong = document.documentElement.scrollHeight > minScreens * innerHeight
  if (!screen.matches || !isLong || headings.length < 2 || document.querySelector('[data-filter]')) return
  const heights = headings.map(readHeight)
  const folds = headings.map((heading, at) => fold(heading, (heights[at] ?? 0) <= maxOpen * innerHeight))
  const openAll = () => {
    for (const each of folds) each.open = true
  }
  addOpener(openAll)
  const openTarget = () => {
    const target = document.getElementById(decode(location.hash.slice(1)))
    const found = target && folds.find(each => each.contains(target))
    if (!found) return
    found.open = true
    // The heading of a tab is hidden.
    const shown = target.checkVisibility() ? target : found
    shown.scrollIntoView()
  }
  addEventListener('hashchange', openTarget)
  addEventListener('beforeprint', openAll)
  screen.addEventListener('change', openAll)
  openTarget()
}

function listContent(heading: HTMLElement): Element[] {
  const content: Element[] = []
  for (let next = heading.nextElementSibling; next && !next.matches('h2, .edit, .turn'); next = next.nextElementSibling)
    content.push(next)
  return content
}

function readHeight(heading: HTMLElement): number {
  const last = listContent(heading).at(-1) ?? heading
  return last.getBoundingClientRect().bottom - heading.getBoundingClientRect().top
}

function fold(heading: HTMLElement, isOpen: boolean): HTMLDetailsElement {
  const [details, summary] = [document.createElement('details'), document.createElement('summary')]
  details.className = 'fold'
  details.open = isOpen
  const content = listContent(heading)
  heading.replaceWith(details)
  summary.append(heading)
  details.append(summary, ...content)
  return details
}

function addOpener(openAll: () => void): void {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'open-all'
  button.textContent = 'Open all sections'
  button.addEventListener('click', openAll)
  document.querySelector('main h1')?.after(button)
}
