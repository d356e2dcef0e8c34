import { find, readText } from './inline.ts'
import { PageElement, toLine } from './page-tree.ts'

/** The labels of the tabs whose panels follow, innermost last, and all labels by the id of their panel or tab. */
export interface TabLists {
  waiting: string[][]
  byId: Map<string, string>
}

const listClasses = /(?:^|\s)(?:tabbed-labels|tabs|sd-tab-labels|tab-list|tabs__list)(?:$|\s)/
const setClasses = /(?:^|\s)(?:tabbed-set|vp-code-group|code-group)(?:$|\s)/
const panelClasses = /(?:^|\s)(?:tabbed-block|tab-pane|tab-content)(?:$|\s)/

export function createTabLists(): TabLists {
  return { waiting: [], byId: new Map() }
}

/**
 * Returns the label of a panel of tabs, 'labels' for the list of labels itself, whose texts stand above the panels instead, and
 * null for everything else. Panels come in the order of their labels.
 */
export function takeLabel(element: PageElement, lists: TabLists): string | 'labels' | null {
  const role = element.get('role')
  if (role === 'tablist' || (listClasses.test(element.classes) && setClasses.test(element.parent?.classes ?? ''))) {
    const labels = listLabels(element, lists)
    if (labels.length > 0) lists.waiting.push(labels)
    return labels.length > 0 ? 'labels' : null
  }
  if (role !== 'tabpanel' && !isPanel(element)) return null
  const waiting = lists.waiting.at(-1)
  const next = waiting?.shift()
  if (waiting?.length === 0) lists.waiting.pop()
  return lists.byId.get(element.get('aria-labelledby')) ?? lists.byId.get(element.get('id')) ?? next ?? null
}

function isPanel({ name, classes, parent }: PageElement): boolean {
  if (panelClasses.test(classes)) return true
  return (
    name === 'div' &&
    /(?:^|\s)blocks(?:$|\s)/.test(parent?.classes ?? '') &&
    setClasses.test(parent?.parent?.classes ?? '')
  )
}

function listLabels(list: PageElement, { byId }: TabLists): string[] {
  const labels: string[] = []
  const look = (element: PageElement) => {
    for (const child of element.children) {
      if (!(child instanceof PageElement)) continue
      if (child.get('role') !== 'tab' && child.name !== 'label') {
        look(child)
        continue
      }
      const label = toLine(readText(child)) || toLine(find(child, ({ name }) => name === 'img')?.get('alt') ?? '')
      labels.push(label)
      for (const id of [child.get('id'), child.get('aria-controls')]) if (id !== '') byId.set(id, label)
    }
  }
  look(list)
  return labels
}

/** Writes the label of a panel. */
export function writeLabel(label: string): string {
  return label === '' ? '' : `**${label.replaceAll('*', '\\*')}**`
}
