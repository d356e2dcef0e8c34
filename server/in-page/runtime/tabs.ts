import { swapStates } from './tab-parts.ts'

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
  const active = tabs.findIndex(other => other.getAttribute('aria-selected') === 'true')
  const shown = tabs[active]
  if (shown) swapStates(panelOf(shown, active), panel)
  swapStates(shown, tab)
  for (const [index, other] of tabs.entries()) {
    other.setAttribute('aria-selected', String(other === tab))
    const own = panelOf(other, index)
    if (own) own.hidden = own !== panel
  }
}
