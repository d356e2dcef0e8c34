import { findInside, findReferences } from './find-references.ts'
import type { NamedReference } from './reference-signs.ts'
import { findPanel, type TabList } from './tab-lists.ts'

/** Max tabs of one list. */
const maxTabs = 12

/**
 * Copies the panels of tabs that a click would show. Called with step 0, 1, 2 ... for each level of nested tabs, outermost
 * first: copies the panels that the previous step opened, and opens the next ones. The first tab is selected again at the end.
 *
 * @return the number of clicked tabs; 0 = the level is finished.
 */
export default function keepPanels(references: readonly NamedReference[], level: number, step: number): number {
  window.__quireTabs ??= new Map()
  const known = window.__quireTabs
  if (step === 0) for (const [list, tabs] of findLists(references, level)) if (!known.has(list)) known.set(list, tabs)
  let clicks = 0
  for (const [list, { first, others, kept }] of known) {
    if (levelOf(list) !== level || !list.isConnected) continue
    const shown = others[step - 1]
    const panel = shown && findPanel(list, shown)
    if (shown && panel) kept.push({ label: shown.innerText, panel: copyPanel(panel) })
    const next = others[step]
    if (next) clicks += 1
    if (next) next.click()
    else if (step === others.length && step > 0) first.click()
  }
  return clicks
}

function findLists(references: readonly NamedReference[], level: number): Map<Element, TabList> {
  const lists = new Map<Element, TabList>()
  for (const { signs, root } of findReferences(references)) {
    const consoles = Object.values(signs.consoles).flat().join(',')
    for (const list of findInside(root, ['[role="tablist"]'])) {
      const tabs = Array.from(list.querySelectorAll<HTMLElement>('[role="tab"]')).slice(0, maxTabs)
      const first = tabs.find(tab => tab.getAttribute('aria-selected') === 'true')
      const isConsole = consoles !== '' && list.closest(consoles) !== null
      if (!first || isConsole || !list.checkVisibility() || levelOf(list) !== level || !findPanel(list, first)) continue
      const others = tabs.filter(tab => tab !== first && !tab.matches('a[href], [disabled], [aria-disabled="true"]'))
      lists.set(list, { first, others, kept: [] })
    }
  }
  return lists
}

/** Counts the panels around a list. */
function levelOf(list: Element): number {
  let level = 0
  for (let at = list.parentElement; at; at = at.parentElement) if (at.getAttribute('role') === 'tabpanel') level += 1
  return level
}

/** Copies a panel. Ids and roles stay with the original. */
function copyPanel(panel: Element): Element {
  const copy = panel.cloneNode(true) as Element
  for (const element of [copy, ...copy.querySelectorAll('[id]')]) element.removeAttribute('id')
  for (const name of ['role', 'aria-labelledby', 'hidden']) copy.removeAttribute(name)
  return copy
}
