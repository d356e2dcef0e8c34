// Runs inside pages of a bundle, sent there as text: it stands for itself, with nothing from outside but its parameters.
import type { MarkedText, SearchHit } from './search-query.ts'

export interface SearchDialog {
  /** @param question to begin with; without one, the last stays. */
  open(question?: string): void
  /** A small button at the edge of the page. */
  showButton(isShown: boolean): void
}

export interface SearchDialogSettings {
  css: string
  /** Address of the bundle. */
  root: string
  find(question: string): Promise<SearchHit[]>
}

/** Builds the dialog in a shadow root of its own, so that neither style sheets nor scripts of the page meet it. */
export function createSearchDialog({ css, root, find }: SearchDialogSettings): SearchDialog {
  const icon =
    '<svg viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="8.5" cy="8.5" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>'
  const host = document.createElement('quire-search')
  const shadow = host.attachShadow({ mode: 'open' })
  shadow.innerHTML =
    `<style>${css}</style>` +
    `<button class="opener" type="button" aria-label="Search" aria-haspopup="dialog" title="Search ( / )" hidden>${icon}</button>` +
    '<dialog aria-label="Search"><div class="box">' +
    `<div class="ask">${icon}<input type="text" role="combobox" aria-label="Search" aria-autocomplete="list" aria-haspopup="listbox" aria-expanded="false" aria-controls="hits" placeholder="Search" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go">` +
    '<button class="close" type="button" aria-label="Close">Esc</button></div>' +
    '<div class="hits" id="hits" role="listbox" aria-label="Hits"></div>' +
    '<p class="state" role="status"></p>' +
    '<p class="keys" aria-hidden="true"><kbd>↑</kbd><kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close</p>' +
    '</div></dialog>'
  const get = <T extends HTMLElement>(selector: string) => shadow.querySelector(selector) as T
  const opener = get<HTMLButtonElement>('.opener')
  const dialog = get<HTMLDialogElement>('dialog')
  const input = get<HTMLInputElement>('input')
  const list = get<HTMLElement>('.hits')
  const state = get<HTMLElement>('.state')
  let options: HTMLAnchorElement[] = []
  let active = -1
  let asked = 0
  let isBusy = false
  let followsFirst = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function attach() {
    if (!host.isConnected) document.documentElement.append(host)
    host.dataset.theme = isDarkPage() ? 'dark' : 'light'
  }

  /** By what the page looks like: its theme may be its own choice. */
  function isDarkPage(): boolean {
    const brightness = (colour: string) => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number)
      return alpha < 0.5 || !colour.startsWith('rgb') ? null : (red * 299 + green * 587 + blue * 114) / 255_000
    }
    for (const element of [document.body, document.documentElement]) {
      const ground = element ? brightness(getComputedStyle(element).backgroundColor) : null
      if (ground !== null) return ground < 0.5
    }
    return (brightness(getComputedStyle(document.body ?? document.documentElement).color) ?? 0) > 0.6
  }

  function choose(index: number, isByPointer = false) {
    options[active]?.setAttribute('aria-selected', 'false')
    active = options.length === 0 ? -1 : (index + options.length) % options.length
    const option = options[active]
    option?.setAttribute('aria-selected', 'true')
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
    if (!isByPointer) option?.scrollIntoView({ block: 'nearest' })
  }

  function write(name: string, texts: MarkedText): HTMLElement {
    const element = document.createElement('span')
    element.className = name
    for (const { text, isMark } of texts) {
      const piece = isMark ? document.createElement('mark') : document.createTextNode(text)
      if (isMark) piece.textContent = text
      element.append(piece)
    }
    return element
  }

  function show(hits: SearchHit[]) {
    options = hits.map((hit, index) => {
      const option = document.createElement('a')
      option.id = `hit-${index}`
      option.tabIndex = -1
      option.setAttribute('role', 'option')
      option.setAttribute('aria-selected', 'false')
      const path = hit.path.split('/').map(encodeURIComponent).join('/')
      option.href = new URL(path, root).href + (hit.anchor ? `#${encodeURIComponent(hit.anchor)}` : '')
      const isBelow = index > 0 && hits[index - 1]?.path === hit.path
      if (isBelow) option.className = 'below'
      const head = write('head', hit.heading.length > 0 ? hit.heading : hit.page)
      option.append(head)
      if (hit.heading.length > 0 && !isBelow) option.append(write('page', hit.page))
      if (hit.snippet.length > 0) option.append(write('snippet', hit.snippet))
      return option
    })
    list.replaceChildren(...options)
    list.scrollTop = 0
    input.setAttribute('aria-expanded', String(options.length > 0))
    active = -1
    choose(0)
  }

  function setBusy(is: boolean) {
    isBusy = is
    list.setAttribute('aria-busy', String(is))
  }

  /** Not at each key of somebody who types fast: a question that is not meant loads files that nobody needs. */
  function askSoon() {
    setBusy(true)
    followsFirst = false
    clearTimeout(timer)
    timer = setTimeout(() => void ask(), 60)
  }

  async function ask() {
    clearTimeout(timer)
    setBusy(true)
    asked += 1
    const turn = asked
    const question = input.value
    const isEmpty = question.trim() === ''
    // The hits so far stay until there are others, so that nothing flickers while somebody types.
    const slow = setTimeout(() => {
      if (turn === asked && !isEmpty) state.textContent = 'Searching …'
    }, 200)
    try {
      const hits = await find(question)
      if (turn !== asked) return
      show(hits)
      state.textContent = isEmpty ? '' : hits.length === 0 ? 'Nothing found.' : ''
      if (hits.length > 0) state.append(write('quiet', [{ text: `${hits.length} found`, isMark: false }]))
    } catch {
      if (turn !== asked) return
      show([])
      state.textContent = 'The index of the search could not be loaded.'
    } finally {
      clearTimeout(slow)
      if (turn === asked && input.value === question) {
        setBusy(false)
        const [first] = options
        if (followsFirst && dialog.open && first) follow(first)
        followsFirst = false
      }
    }
  }

  function follow(option: HTMLAnchorElement) {
    const { href } = option
    dialog.close()
    const [page, anchor] = href.split('#')
    if (page !== location.href.split('#')[0]) location.assign(href)
    else if (anchor) location.hash = anchor
    else scrollTo(0, 0)
  }

  input.addEventListener('input', askSoon)
  input.addEventListener('keydown', event => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown') choose(active + 1)
    else if (event.key === 'ArrowUp') choose(active - 1)
    else if (event.key === 'Enter') {
      const option = options[active]
      // What is shown belongs to another question until the answer is there.
      if (isBusy) followsFirst = true
      else if (option) follow(option)
    } else return
    event.preventDefault()
  })
  list.addEventListener('pointermove', ({ target }) => {
    const index = options.findIndex(option => option.contains(target as Node))
    if (index !== -1 && index !== active) choose(index, true)
  })
  list.addEventListener('click', event => {
    const option = options.find(each => each.contains(event.target as Node))
    if (!option || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    follow(option)
  })
  dialog.addEventListener('click', event => {
    if (event.target === dialog) dialog.close()
  })
  get('.close').addEventListener('click', () => dialog.close())
  opener.addEventListener('click', () => open())
  // Shortcuts of the page mean nothing in here.
  for (const name of ['keydown', 'keypress', 'keyup', 'input', 'paste'])
    host.addEventListener(name, event => {
      if (dialog.open) event.stopPropagation()
    })

  function open(question?: string) {
    attach()
    if (!dialog.open) dialog.showModal()
    if (question !== undefined) input.value = question
    input.focus()
    if (question === undefined) input.select()
    void ask()
  }

  return {
    open,
    showButton(isShown) {
      if (isShown) attach()
      opener.hidden = !isShown
    },
  }
}
