import { listTabLists, panelsNear, tabsOf } from '../panels/tab-names.ts'

/** Inserts the panels that the site's scripts would build when a reader selects their tabs. They stay hidden until then. */
export function placeKeptPanels(): void {
  const templates = document.querySelectorAll<HTMLTemplateElement>('template[data-quire-panel]')
  if (templates.length === 0) return
  const lists = listTabLists()
  const kept = new Map<Element, Map<number, HTMLElement>>()
  for (const template of templates) {
    const list = lists.get(template.dataset.quirePanel ?? '')
    const panel = template.content.firstElementChild?.cloneNode(true)
    if (!list || !(panel instanceof HTMLElement)) continue
    const panels = kept.get(list) ?? new Map<number, HTMLElement>()
    kept.set(list, panels)
    panels.set(Number(template.dataset.quireTab), panel)
  }
  for (const [list, panels] of kept) placePanels(list, panels)
}

/** Inserts the panels of one list in the order of its tabs. */
function placePanels(list: Element, kept: ReadonlyMap<number, HTMLElement>): void {
  const tabs = tabsOf(list)
  const selected = tabs.findIndex(tab => tab.getAttribute('aria-selected') === 'true')
  const shown = namedPanel(tabs[selected]) ?? panelsNear(list).find(panel => panel.checkVisibility())
  if (!shown) return
  let last: Element = shown
  for (const [at, tab] of tabs.entries()) {
    const panel = kept.get(at)
    if (at === selected) last = shown
    if (!panel) continue
    panel.hidden = true
    panel.id = tab.getAttribute('aria-controls') ?? panel.id
    const empty = namedPanel(tab)
    if (empty) empty.replaceWith(panel)
    else if (at < selected) shown.before(panel)
    else last.after(panel)
    if (at > selected) last = panel
  }
}

function namedPanel(tab: Element | undefined): Element | null {
  return document.getElementById(tab?.getAttribute('aria-controls') ?? '')
}
