// Runs inside pages of a bundle, sent there as text: it stands for itself, with nothing from outside but its parameters.
import type { SearchDialog } from './search-dialog.ts'

/**
 * Opens the search from the page's own field or button where its own search does not run, by `/` and Ctrl or Cmd K, and
 * from a button of ours where the page has none. Where the site's own search runs, ours stays out of its way.
 *
 * @param isInstead whether the site's own search is a service that is gone: what its scripts put up again leads to ours.
 */
export function openSearchEntrances(dialog: SearchDialog, isInstead: boolean): void {
  const name =
    /(?<!re)search|suche|recherche|buscar|b\u00fasqueda|pesquisa|ricerca|zoek|s\u00f6k|s\u00f8g|szukaj|hledat|\u043f\u043e\u0438\u0441\u043a|\u043f\u043e\u0448\u0443\u043a|\u68c0\u7d22|\u691c\u7d22|\u641c\u7d22|\u641c\u5c0b|\uac80\uc0c9|\u0628\u062d\u062b|\u05d7\u05d9\u05e4\u05d5\u05e9/i
  const controls = 'input, button, [role=button], [role=searchbox], a:not([href]), a[href="#"]'
  const droppedForm = 'form[data-quire-dead], form[data-quire-missing], form[data-quire-removed]'

  const isNamed = (element: Element) =>
    ['aria-label', 'title', 'class', 'id', 'name', 'placeholder'].some(each =>
      name.test(element.getAttribute(each) ?? ''),
    )

  /** What a visitor would search with. */
  function isEntrance(control: Element): boolean {
    if (control instanceof HTMLInputElement) {
      if (control.type === 'search') return true
      if (!/^(text|submit|button|image)$/.test(control.type)) return false
    }
    return control.getAttribute('role') === 'searchbox' || isNamed(control) || control.closest('[role=search]') !== null
  }
  const listEntrances = () => Array.from(document.querySelectorAll(controls)).filter(isEntrance)

  /** Those that are left of the site are inert, in one way or the other, where its scripts do not run. */
  function siteRuns(): boolean {
    return Array.from(document.scripts).some(
      ({ type, src, text }) =>
        /^(module|.*(java|ecma)script.*)?$/i.test(type.trim()) &&
        (src === '' ? text.trim() !== '' : !/\/_quire\/[a-z]+\.js$/.test(src)),
    )
  }
  const isScripted = siteRuns()
  const isRunning = isScripted && !isInstead

  function hasOwnSearch(): boolean {
    return isRunning && listEntrances().some(each => each.closest(droppedForm) === null)
  }

  function findEntrance(event: Event): Element | null {
    if (!(event.target instanceof Element)) return null
    const control = event.target.closest(controls)
    if (!control || !isEntrance(control)) return null
    return isRunning && control.closest(droppedForm) === null ? null : control
  }

  function take(event: Event, question?: string) {
    event.preventDefault()
    event.stopImmediatePropagation()
    dialog.open(question)
  }
  const written = (control: Element | null) =>
    control instanceof HTMLInputElement && /^(text|search)$/.test(control.type) ? control.value : ''

  addEventListener(
    'click',
    event => {
      const control = findEntrance(event)
      if (control) take(event, written(control) || undefined)
    },
    true,
  )
  addEventListener(
    'submit',
    event => {
      const form = event.target as Element
      const field = Array.from(form.querySelectorAll('input')).find(isEntrance)
      if (field && (!isRunning || form.matches(droppedForm))) take(event, written(field) || undefined)
    },
    true,
  )
  addEventListener(
    'keydown',
    event => {
      const control = event.isComposing || event.ctrlKey || event.metaKey || event.altKey ? null : findEntrance(event)
      if (!(control instanceof HTMLInputElement)) return
      if (event.key === 'Enter') take(event, written(control) || undefined)
      else if (event.key.length === 1 && event.key !== ' ') take(event, written(control) + event.key)
    },
    true,
  )
  // Last of all, so that a key which the page has a use for stays the page's; before one that is gone.
  addEventListener(
    'keydown',
    event => {
      if (event.defaultPrevented || event.isComposing || event.altKey || hasOwnSearch()) return
      const isCommand = event.ctrlKey || event.metaKey
      const [target] = event.composedPath()
      const isTyping =
        target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
      const isWanted = isCommand ? event.key.toLowerCase() === 'k' && !event.shiftKey : event.key === '/' && !isTyping
      if (isWanted) take(event)
    },
    isInstead,
  )

  function update() {
    if (hasOwnSearch()) {
      dialog.showButton(false)
      return
    }
    let isShown = false
    for (const control of listEntrances()) {
      if (control instanceof HTMLInputElement || control instanceof HTMLButtonElement) control.disabled = false
      control.setAttribute('aria-haspopup', 'dialog')
      isShown ||= control.getClientRects().length > 0
    }
    dialog.showButton(!isShown)
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const updateLater = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(update, ms)
  }
  addEventListener('resize', () => updateLater(200))
  if (!isScripted) {
    update()
    return
  }
  // An app takes its page over first, and may bring its search along.
  const afterLoad = () => {
    updateLater(800)
    setTimeout(update, 4000)
  }
  if (document.readyState === 'complete') afterLoad()
  else addEventListener('load', afterLoad)
}
