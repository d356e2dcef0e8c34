/** A list of tabs of which the scripts draw one panel at a time. */
export interface TabList {
  first: HTMLElement
  /** The other tabs. */
  others: HTMLElement[]
  /** Copies of the panels of the other tabs. */
  kept: { label: string; panel: Element }[]
}

declare global {
  interface Window {
    __quireTabs?: Map<Element, TabList>
  }
}

/** Inserts the copies after the panels of the first tabs, each under the name of its tab. */
export function insertPanels(): void {
  for (const [list, { first, kept }] of window.__quireTabs ?? []) {
    let at = list.isConnected ? findPanel(list, first) : null
    for (const { label, panel } of at ? kept : []) {
      const name = document.createElement('p')
      name.append(label)
      at?.after(name, panel)
      at = panel
    }
  }
}

/** Finds the panel of a selected tab: by its id, or as the first panel that follows the list and is shown. */
export function findPanel(list: Element, tab: Element): Element | null {
  const tree = list.getRootNode() as Document | ShadowRoot
  const named = tree.getElementById(tab.getAttribute('aria-controls') ?? '')
  if (named) return named
  const labelled =
    tab.id === '' ? null : tree.querySelector(`[role="tabpanel"][aria-labelledby="${CSS.escape(tab.id)}"]`)
  return labelled?.checkVisibility() ? labelled : null
}
