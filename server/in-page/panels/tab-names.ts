/** Returns the tabs of a list. */
export function tabsOf(list: Element): HTMLElement[] {
  return Array.from(list.querySelectorAll<HTMLElement>('[role="tab"]'))
}

/**
 * Lists the tab lists of the page with a key that names each list in the page as it was fetched and as scripts changed it: the
 * texts of its tabs, and how many lists with these tabs come before.
 */
export function listTabLists(): Map<string, Element> {
  const counts = new Map<string, number>()
  const lists = new Map<string, Element>()
  for (const list of document.querySelectorAll('[role="tablist"]')) {
    const names = tabsOf(list)
      .map(tab => (tab.textContent ?? '').replace(/\s+/g, ' ').trim())
      .join(' | ')
    const count = counts.get(names) ?? 0
    counts.set(names, count + 1)
    lists.set(`${count} ${names}`, list)
  }
  return lists
}

/** Lists the panels next to a list of tabs, also those that are not shown. */
export function panelsNear(list: Element): HTMLElement[] {
  let box = list.parentElement
  while (box && !box.querySelector('[role="tabpanel"]')) box = box.parentElement
  const own =
    box === null || box === document.body ? [] : Array.from(box.querySelectorAll<HTMLElement>('[role="tabpanel"]'))
  // Panels inside of a panel belong to other tabs.
  return own.filter(panel => !own.some(other => other !== panel && other.contains(panel)))
}
