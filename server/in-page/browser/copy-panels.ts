import { press } from '../controls/list-controls.ts'
import type { CopiedPanel } from '../panels/copied-panel.ts'
import { listTabLists, panelsNear, tabsOf } from '../panels/tab-names.ts'

declare global {
  interface Window {
    __quirePanels?: OpenList[]
  }
}

/** A list of tabs of which the page lacks panels. */
interface OpenList {
  key: string
  list: Element
  first: HTMLElement
  /** The tabs without a panel, by their position. */
  missing: [number, HTMLElement][]
  copied: CopiedPanel[]
}

const maxLists = 40
const maxTabs = 12
const maxPanelLength = 100_000

/**
 * Copies the panels that the page contains only after a click on their tab. Called with step 0, 1, 2 ...: copies the panels
 * that the previous step opened, and opens the next ones. The first tab is selected again at the end.
 *
 * @return the number of clicked tabs, 0 = finished, and then all copies.
 */
export default function copyPanels(step: number): { clicks: number; panels: CopiedPanel[] } {
  if (step === 0) window.__quirePanels = findOpenLists()
  const lists = window.__quirePanels ?? []
  let clicks = 0
  for (const open of lists) {
    if (!open.list.isConnected) continue
    const shown = open.missing[step - 1]
    if (shown) copyShown(open, shown)
    const next = open.missing[step]
    if (next) clicks += 1
    if (next) press(next[1])
    else if (step === open.missing.length && step > 0) press(open.first)
  }
  return { clicks, panels: clicks > 0 ? [] : lists.flatMap(({ copied }) => copied) }
}

function findOpenLists(): OpenList[] {
  const found: OpenList[] = []
  for (const [key, list] of listTabLists()) {
    const tabs = tabsOf(list).slice(0, maxTabs)
    const first = tabs.find(tab => tab.getAttribute('aria-selected') === 'true')
    if (!first || tabs.length < 2 || !list.checkVisibility() || !findShownPanel(list, first)) continue
    const missing = [...tabs.entries()].filter(
      ([at, tab]) => tab !== first && isPressable(tab) && !hasPanel(list, tabs, at),
    )
    if (missing.length > 0 && found.length < maxLists) found.push({ key, list, first, missing, copied: [] })
  }
  return found
}

function isPressable(tab: Element): boolean {
  return !tab.matches('[disabled], [aria-disabled="true"], a[href]:not([href^="#"])')
}

/** Decides whether the page contains the panel of a tab without a click. */
function hasPanel(list: Element, tabs: readonly Element[], at: number): boolean {
  const named = document.getElementById(tabs[at]?.getAttribute('aria-controls') ?? '')
  if (named) return named.childNodes.length > 0
  const panels = panelsNear(list)
  return panels.length >= tabs.length && (panels[at]?.childNodes.length ?? 0) > 0
}

function findShownPanel(list: Element, tab: Element): Element | null {
  const named = document.getElementById(tab.getAttribute('aria-controls') ?? '')
  return named ?? panelsNear(list).find(panel => panel.checkVisibility()) ?? null
}

function copyShown(open: OpenList, [at, tab]: [number, HTMLElement]): void {
  const panel = tab.getAttribute('aria-selected') === 'true' ? findShownPanel(open.list, tab) : null
  if (!panel || panel.childNodes.length === 0) return
  const copy = panel.cloneNode(true) as Element
  for (const script of copy.querySelectorAll('script, template, iframe')) script.remove()
  for (const element of [copy, ...copy.querySelectorAll('*')])
    for (const { name } of [...element.attributes]) if (name.startsWith('on')) element.removeAttribute(name)
  copy.setAttribute('role', 'tabpanel')
  if (copy.outerHTML.length <= maxPanelLength) open.copied.push({ list: open.key, tab: at, html: copy.outerHTML })
}
