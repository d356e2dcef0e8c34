/** Selects a tab of a tab list and shows only its panel. */
export function selectTab(tab: Element): void {
  const list = tab.closest('[role=tablist]')
  if (!list) return
  const tabs = Array.from(list.querySelectorAll('[role=tab]'))
  let box = list.parentElement
  while (box && !box.querySelector('[role=tabpanel]')) box = box.parentElement
  const panels = Array.from(box?.querySelectorAll<HTMLElement>('[role=tabpanel]') ?? [])
  const panelOf = (other: Element, index: number) =>
    document.getElementById(other.getAttribute('aria-controls') ?? '') ?? panels[index]
  const panel = panelOf(tab, tabs.indexOf(tab))
  if (!panel) return
  moveActiveClass(tabs, tab)
  for (const [index, other] of tabs.entries()) {
    other.setAttribute('aria-selected', String(other === tab))
    const own = panelOf(other, index)
    if (own) own.hidden = own !== panel
  }
}

/** Moves the class that marks the selected tab, such as `active` or `selected`. */
function moveActiveClass(tabs: readonly Element[], tab: Element): void {
  const active = tabs.find(other => other.getAttribute('aria-selected') === 'true')
  if (!active || active === tab) return
  const name = Array.from(active.classList).find(each => /active|selected/.test(each))
  if (!name) return
  active.classList.remove(name)
  tab.classList.add(name)
}
