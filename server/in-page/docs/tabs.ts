import { decode } from './decode.ts'

interface Tab {
  button: HTMLButtonElement
  panel: HTMLElement
}

interface TabGroup {
  tabs: readonly Tab[]
  select(tab: Tab): void
}

/**
 * Turns the children of `[data-tabs]` into panels of tabs, by the pattern of the ARIA Authoring Practices. The first element of a
 * panel is its label. Without this script, the panels are sections below each other, or details.
 */
export function enableTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('[data-tabs]')].map(createTabs)
  const openTarget = () => {
    const target = document.getElementById(decode(location.hash.slice(1)))
    for (const { tabs, select } of groups) {
      const tab = target && tabs.find(({ panel }) => panel.contains(target))
      if (!tab) continue
      select(tab)
      tab.button.scrollIntoView({ block: 'nearest' })
    }
  }
  addEventListener('hashchange', openTarget)
  openTarget()
}

function createTabs(group: HTMLElement, number: number): TabGroup {
  const list = document.createElement('div')
  list.className = 'tab-list'
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', group.dataset.tabs ?? '')
  const tabs = [...group.children].map((panel, at) => createTab(panel as HTMLElement, `tab-${number}-${at}`))
  const select = (chosen: Tab) => {
    for (const tab of tabs) {
      tab.panel.hidden = tab !== chosen
      tab.button.setAttribute('aria-selected', String(tab === chosen))
      tab.button.tabIndex = tab === chosen ? 0 : -1
    }
  }
  for (const [at, tab] of tabs.entries()) {
    list.append(tab.button)
    tab.button.addEventListener('click', () => select(tab))
    tab.button.addEventListener('keydown', event => {
      const next = findNext(tabs, at, event.key)
      if (!next) return
      event.preventDefault()
      select(next)
      next.button.focus()
    })
  }
  group.prepend(list)
  if (tabs[0]) select(tabs[0])
  return { tabs, select }
}

function findNext(tabs: readonly Tab[], at: number, key: string): Tab | undefined {
  if (key === 'Home') return tabs[0]
  if (key === 'End') return tabs.at(-1)
  if (key === 'ArrowLeft') return tabs.at(at - 1)
  return key === 'ArrowRight' ? tabs[(at + 1) % tabs.length] : undefined
}

function createTab(panel: HTMLElement, id: string): Tab {
  const label = panel.firstElementChild as HTMLElement
  const button = document.createElement('button')
  button.type = 'button'
  button.id = id
  button.textContent = label.textContent
  button.setAttribute('role', 'tab')
  button.setAttribute('aria-controls', `${id}-panel`)
  if (panel.dataset.kind !== undefined) button.dataset.kind = panel.dataset.kind
  // A summary that is hidden would leave closed details that nobody can open.
  const shown = panel instanceof HTMLDetailsElement ? openDetails(panel) : panel
  shown.id = `${id}-panel`
  shown.setAttribute('role', 'tabpanel')
  shown.setAttribute('aria-labelledby', id)
  label.hidden = true
  return { button, panel: shown }
}

/** Replaces details with a plain element that has the same content. */
function openDetails(details: HTMLDetailsElement): HTMLElement {
  const plain = document.createElement('div')
  plain.className = details.className
  plain.append(...details.childNodes)
  details.replaceWith(plain)
  return plain
}
