/** The keys that do something on the shown page, and what they do. Keys of pages are in the attribute `data-go` of the navigation. */
const keys: readonly { key: string; what: string; find(): HTMLElement | null | undefined }[] = [
  {
    key: '/',
    what: 'Go to the search or the first field',
    find: () => findField('input[type="search"]') ?? findField('input:not([type="hidden"]), select, textarea'),
  },
  { key: 'ArrowLeft', what: 'Show the days before', find: () => findInMain('.ranges a[rel="prev"]') },
  { key: 'ArrowRight', what: 'Show the days after', find: () => findInMain('.ranges a[rel="next"]') },
  { key: 'x', what: 'Compare, or stop comparing', find: findOtherComparison },
  { key: 'Escape', what: 'Remove the filters', find: () => findInMain('[data-clear]') },
]
/** How long the second key of a page may take. */
const secondKeyMs = 1500

/** Makes the keys work that `?` lists. They do nothing that a link of the page does not do. */
export function enableKeys(): void {
  let goUntil = 0
  document.addEventListener('keydown', event => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat || isOff()) return
    // With Shift, the arrow keys select text.
    if (event.shiftKey && key.startsWith('Arrow')) return
    if (document.querySelector('dialog[open]')) return
    if (target instanceof HTMLElement && isField(target)) {
      if (key === 'Escape') target.blur()
      return
    }
    if (isInScrolledBox(target) && key.startsWith('Arrow')) return
    const page =
      Date.now() < goUntil ? document.querySelector<HTMLElement>(`.side [data-go="${CSS.escape(key)}"]`) : null
    goUntil = key === 'g' ? Date.now() + secondKeyMs : 0
    const found = page ?? keys.find(each => each.key === key)?.find()
    if (key !== '?' && !found) return
    event.preventDefault()
    if (key === '?') showKeys()
    else if (found instanceof HTMLAnchorElement) found.click()
    else found?.focus()
  })
  for (const button of document.querySelectorAll<HTMLElement>('[data-keys]')) {
    button.hidden = false
    button.addEventListener('click', showKeys)
  }
}

function findInMain(selector: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`main ${selector}`)
}

/** Returns the first field that can have the focus: not one in closed details. */
function findField(selector: string): HTMLElement | undefined {
  const fields = document.querySelectorAll<HTMLElement>(`main :is(${selector})`)
  return [...fields].find(field => field.checkVisibility())
}

/** Set in a browser whose person turned the keys off: speech input and slips of the hand press them too, see WCAG 2.1.4. */
const offKey = 'quire-keys-off'

function isOff(): boolean {
  return localStorage.getItem(offKey) !== null
}

/** Turns the keys off and on. */
function createSwitch(): HTMLElement {
  const [label, box] = [document.createElement('label'), document.createElement('input')]
  label.className = 'check'
  box.type = 'checkbox'
  box.checked = !isOff()
  box.addEventListener('change', () =>
    box.checked ? localStorage.removeItem(offKey) : localStorage.setItem(offKey, 'true'),
  )
  label.append(box, ' Use these keys')
  return label
}

/** Returns the link to a comparison if there is none, and else the link to none. */
function findOtherComparison(): HTMLElement | undefined {
  const [none, before] = document.querySelectorAll<HTMLElement>('main .compare a')
  return none?.hasAttribute('aria-current') ? before : none
}

function isField(element: HTMLElement): boolean {
  return element.matches('input, select, textarea') || element.isContentEditable
}

/** The arrow keys move what is wider than its box. */
function isInScrolledBox(target: EventTarget | null): boolean {
  const box = target instanceof Element ? target.closest('pre') : null
  return box !== null && box.scrollWidth > box.clientWidth
}

const names: Readonly<Record<string, string>> = { ArrowLeft: '\u2190', ArrowRight: '\u2192', Escape: 'Esc' }

/** Lists the keys of this page in a dialog. */
function showKeys(): void {
  const dialog = document.createElement('dialog')
  dialog.className = 'keys'
  dialog.setAttribute('aria-label', 'Keys')
  const list = document.createElement('dl')
  const add = (key: string, what: string) => {
    const [term, text] = [document.createElement('dt'), document.createElement('dd')]
    const shown = document.createElement('kbd')
    shown.textContent = key
    term.append(shown)
    text.textContent = what
    list.append(term, text)
  }
  for (const { key, what, find } of keys) if (find()) add(names[key] ?? key, what)
  for (const link of document.querySelectorAll<HTMLElement>('.side [data-go]')) {
    add(`g ${link.dataset.go}`, link.textContent)
  }
  add('?', 'List the keys')
  const heading = document.createElement('h2')
  heading.textContent = 'Keys'
  const choice = document.createElement('p')
  choice.append(createSwitch())
  const close = document.createElement('button')
  close.textContent = 'Close'
  // The first field would turn the keys off with Space.
  close.autofocus = true
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  dialog.append(heading, list, choice, close)
  document.body.append(dialog)
  dialog.showModal()
}
