import { createDialogElements, type DialogElements } from './dialog-elements.ts'
import { createHitList, type HitList } from './hit-list.ts'
import { createLiveSearch, type LiveSearch } from './live-search.ts'
import { isDarkPage } from './page-theme.ts'
import type { SearchHit } from './search-query.ts'

export interface SearchDialog {
  /** @param question initial text; undefined = keeps the previous question. */
  open(question?: string): void
  /** Shows or hides a small button at the edge of the page that opens the dialog. */
  showButton(isShown: boolean): void
}

export interface SearchDialogSettings {
  /** Address of the bundle. */
  root: string
  find(question: string): Promise<SearchHit[]>
}

/** Creates the search dialog, and adds it to the page on first use. */
export function createSearchDialog({ root, find }: SearchDialogSettings): SearchDialog {
  const elements = createDialogElements()
  const { host, opener, dialog, input } = elements
  const hits = createHitList(elements, root)
  const follow = (option: HTMLAnchorElement) => {
    dialog.close()
    goTo(option.href)
  }
  const live = createLiveSearch({ elements, hits, find, onChosen: follow })

  function attach() {
    if (!host.isConnected) document.documentElement.append(host)
    host.dataset.theme = isDarkPage() ? 'dark' : 'light'
  }

  function open(question?: string) {
    attach()
    if (!dialog.open) dialog.showModal()
    if (question !== undefined) input.value = question
    input.focus()
    if (question === undefined) input.select()
    void live.search()
  }

  listenToKeys(elements, hits, live)
  listenToClicks(elements, hits, follow)
  opener.addEventListener('click', () => open())

  return {
    open,
    showButton(isShown) {
      if (isShown) attach()
      opener.hidden = !isShown
    },
  }
}

function listenToKeys({ host, dialog, input }: DialogElements, hits: HitList, live: LiveSearch): void {
  input.addEventListener('input', live.searchSoon)
  input.addEventListener('keydown', event => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown') hits.move(1)
    else if (event.key === 'ArrowUp') hits.move(-1)
    else if (event.key === 'Enter') live.choose()
    else return
    event.preventDefault()
  })
  // Keyboard shortcuts of the page must not react to typing in the dialog.
  for (const name of ['keydown', 'keypress', 'keyup', 'input', 'paste'])
    host.addEventListener(name, event => {
      if (dialog.open) event.stopPropagation()
    })
}

function listenToClicks(
  { dialog, close, list }: DialogElements,
  hits: HitList,
  follow: (option: HTMLAnchorElement) => void,
): void {
  list.addEventListener('click', event => {
    const option = hits.find(event.target as Node)
    // The browser handles other clicks, such as those that open a new tab.
    if (!option || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    follow(option)
  })
  dialog.addEventListener('click', event => {
    if (event.target === dialog) dialog.close()
  })
  close.addEventListener('click', () => dialog.close())
}

/** Opens an address. Does not reload if the address is on the same page. */
function goTo(href: string): void {
  const [page, anchor] = href.split('#')
  if (page !== location.href.split('#')[0]) location.assign(href)
  else if (anchor) location.hash = anchor
  else scrollTo(0, 0)
}
