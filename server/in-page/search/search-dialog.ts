import { createDialogElements, type DialogElements } from './dialog-elements.ts'
import type { MarkedText } from './marked-text.ts'
import type { SearchHit } from './search-query.ts'

export interface SearchDialog {
  /** @param question initial text; undefined = keeps the previous question. */
  open(question?: string): void
  /** Shows or hides a small button at the edge of the page that opens the dialog. */
  showButton(isShown: boolean): void
}

export interface SearchDialogSettings {
  /** Returns the address of a page by its path in the index. */
  addressOf(path: string): string
  find(question: string): Promise<SearchHit[]>
}

/** Creates the search dialog, and adds it to the page on first use. */
export function createSearchDialog({ addressOf, find }: SearchDialogSettings): SearchDialog {
  const elements = createDialogElements()
  const { host, opener, dialog, input } = elements
  const hits = createHitList(elements, addressOf)
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

/** Decides whether the page has a dark background. The theme of the page may differ from the system theme. */
function isDarkPage(): boolean {
  for (const element of [document.body, document.documentElement]) {
    const background = element ? brightnessOf(getComputedStyle(element).backgroundColor) : null
    if (background !== null) return background < 0.5
  }
  return (brightnessOf(getComputedStyle(document.body ?? document.documentElement).color) ?? 0) > 0.6
}

/** Returns the brightness from 0 to 1, or null if the colour is mostly transparent or not written as rgb. */
function brightnessOf(colour: string): number | null {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number)
  return alpha < 0.5 || !colour.startsWith('rgb') ? null : (red * 299 + green * 587 + blue * 114) / 255_000
}

interface LiveSearch {
  /** Searches for the text of the input field now. */
  search(): Promise<void>
  /** Searches after a short pause. A search at every key would load index files for unfinished words. */
  searchSoon(): void
  /** Calls back with the selected hit. If a search is running, waits for it first. */
  choose(): void
}

interface LiveSearchSettings {
  elements: Pick<DialogElements, 'dialog' | 'input' | 'list' | 'status'>
  hits: HitList
  find(question: string): Promise<SearchHit[]>
  onChosen(option: HTMLAnchorElement): void
}

/** Updates the list of hits when the input field changes. */
function createLiveSearch({ elements, hits, find, onChosen }: LiveSearchSettings): LiveSearch {
  const { dialog, input, list, status } = elements
  let lastTurn = 0
  let isBusy = false
  let choosesFirst = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function setBusy(is: boolean) {
    isBusy = is
    list.setAttribute('aria-busy', String(is))
  }

  async function search() {
    clearTimeout(timer)
    setBusy(true)
    lastTurn += 1
    const turn = lastTurn
    const question = input.value
    const isEmpty = question.trim() === ''
    // The previous hits stay until the next hits arrive, to avoid flicker while a visitor types.
    const slow = setTimeout(() => {
      if (turn === lastTurn && !isEmpty) status.textContent = 'Searching …'
    }, 200)
    const found = await find(question).catch(() => null)
    clearTimeout(slow)
    if (turn !== lastTurn) return
    hits.show(found ?? [])
    showStatus(status, found, isEmpty)
    if (input.value === question) finish()
  }

  function finish() {
    setBusy(false)
    const option = choosesFirst && dialog.open ? hits.selected() : undefined
    choosesFirst = false
    if (option) onChosen(option)
  }

  return {
    search,
    searchSoon() {
      setBusy(true)
      choosesFirst = false
      clearTimeout(timer)
      timer = setTimeout(() => void search(), 60)
    },
    choose() {
      const option = hits.selected()
      // While a search runs, the list still shows the hits of the previous question.
      if (isBusy) choosesFirst = true
      else if (option) onChosen(option)
    },
  }
}

/** @param found null = the search failed. */
function showStatus(status: HTMLElement, found: readonly SearchHit[] | null, isEmpty: boolean): void {
  if (found === null) status.textContent = 'Could not load the search index.'
  else status.textContent = isEmpty || found.length > 0 ? '' : 'No results.'
  // This text is for screen readers. Other visitors see the list.
  if (found && found.length > 0)
    status.append(createText('quiet', [{ text: countResults(found.length), isMark: false }]))
}

function countResults(count: number): string {
  return count === 1 ? '1 result' : `${count} results`
}

interface HitList {
  /** Replaces the hits and selects the first. */
  show(hits: readonly SearchHit[]): void
  /** Moves the selection down by a number of hits. The list wraps around. */
  move(distance: number): void
  selected(): HTMLAnchorElement | undefined
  /** Finds the hit that contains a node of the list. */
  find(node: Node): HTMLAnchorElement | undefined
}

type AddressOf = SearchDialogSettings['addressOf']

function createHitList({ list, input }: Pick<DialogElements, 'list' | 'input'>, addressOf: AddressOf): HitList {
  let options: HTMLAnchorElement[] = []
  let active = -1

  function select(index: number, isByPointer = false) {
    options[active]?.setAttribute('aria-selected', 'false')
    active = options.length === 0 ? -1 : (index + options.length) % options.length
    const option = options[active]
    option?.setAttribute('aria-selected', 'true')
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
    if (!isByPointer) option?.scrollIntoView({ block: 'nearest' })
  }

  const find = (node: Node) => options.find(option => option.contains(node))
  list.addEventListener('pointermove', ({ target }) => {
    const option = find(target as Node)
    if (option && option !== options[active]) select(options.indexOf(option), true)
  })

  return {
    find,
    show(hits) {
      options = hits.map((hit, index) => {
        const isBelow = hits[index - 1]?.path === hit.path
        const option = createOption(hit, addressOf, isBelow)
        option.id = `hit-${index}`
        return option
      })
      list.replaceChildren(...options)
      list.scrollTop = 0
      input.setAttribute('aria-expanded', String(options.length > 0))
      active = -1
      select(0)
    },
    move: distance => select(active + distance),
    selected: () => options[active],
  }
}

/** @param isBelow whether the previous hit is on the same page. */
function createOption(hit: SearchHit, addressOf: AddressOf, isBelow: boolean): HTMLAnchorElement {
  const option = document.createElement('a')
  option.tabIndex = -1
  option.setAttribute('role', 'option')
  option.setAttribute('aria-selected', 'false')
  option.href = addressOf(hit.path) + (hit.anchor ? `#${encodeURIComponent(hit.anchor)}` : '')
  if (isBelow) option.className = 'below'
  option.append(createText('head', hit.heading.length > 0 ? hit.heading : hit.page))
  if (hit.heading.length > 0 && !isBelow) option.append(createText('page', hit.page))
  if (hit.snippet.length > 0) option.append(createText('snippet', hit.snippet))
  return option
}

/** Creates an element of a class with the text. Marks become mark elements. */
function createText(className: string, texts: MarkedText): HTMLElement {
  const element = document.createElement('span')
  element.className = className
  for (const { text, isMark } of texts) {
    const piece = isMark ? document.createElement('mark') : document.createTextNode(text)
    if (isMark) piece.textContent = text
    element.append(piece)
  }
  return element
}
