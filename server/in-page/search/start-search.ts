import { createIndexLoader } from './index-loader.ts'
import { createSearchDialog, type SearchDialog } from './search-dialog.ts'
import { createSearch } from './search-query.ts'
import { createTermReader } from './search-terms.ts'

/**
 * Runs in every page with a search. Finds search fields and buttons at once, and loads the index on first use.
 *
 * @param dead the places where the search of the site finds nothing: root, folder or file.
 */
export default function startSearch(dead: readonly string[]): void {
  const script = document.currentScript
  if (!(script instanceof HTMLScriptElement)) return
  const { src, nonce = '' } = script
  script.remove()
  const root = new URL('..', src).href
  const place = location.protocol === 'file:' ? 'file' : new URL(root).pathname === '/' ? 'root' : 'folder'
  const isInstead = script.dataset.quireSearch === 'instead' || dead.includes(place)
  const load = createIndexLoader({ folder: `${root}_quire/search/`, nonce })

  const start = () => {
    const search = createSearch(createTermReader(), load)
    const language = document.documentElement.lang.toLowerCase().split('-')[0] ?? ''
    const find = (question: string) => search.find(question, language)
    openSearchEntrances(createSearchDialog({ addressOf: path => addressInBundle(root, path), find }), isInstead)
  }
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start)
  else start()
}

function addressInBundle(root: string, path: string): string {
  return new URL(path.split('/').map(encodeURIComponent).join('/'), root).href
}

/**
 * Opens the search dialog from the page's search fields and buttons, by `/` and Ctrl or Cmd K, and from our button if the
 * page has no search field or button. Does nothing if the site's search runs.
 *
 * @param isInstead whether the site's search finds nothing here, for example because it is a service. Search fields and buttons added by
 * the site's scripts then open our dialog.
 */
function openSearchEntrances(dialog: SearchDialog, isInstead: boolean): void {
  const siteSearch = createSiteSearch(isInstead)
  const take: Take = (event, question) => {
    event.preventDefault()
    event.stopImmediatePropagation()
    dialog.open(question)
  }
  listenToEntrances(siteSearch, take)
  listenToShortcuts(siteSearch, take, isInstead)
  keepButton(dialog, siteSearch)
}

type Take = (event: Event, question?: string) => void

function listenToEntrances(siteSearch: SiteSearch, take: Take): void {
  const findEntrance = ({ target }: Event) => {
    const entrance = target instanceof Element ? closestEntrance(target) : null
    return entrance && !siteSearch.owns(entrance) ? entrance : null
  }
  const listen = <Name extends keyof WindowEventMap>(name: Name, listener: (event: WindowEventMap[Name]) => void) =>
    addEventListener(name, listener, true)
  listen('click', event => {
    const entrance = findEntrance(event)
    if (entrance) take(event, readField(entrance) || undefined)
  })
  listen('submit', event => {
    const form = event.target as Element
    const field = Array.from(form.querySelectorAll('input')).find(isEntrance)
    if (field && !siteSearch.owns(form)) take(event, readField(field) || undefined)
  })
  listen('keydown', event => {
    const entrance = event.isComposing || event.ctrlKey || event.metaKey || event.altKey ? null : findEntrance(event)
    if (!(entrance instanceof HTMLInputElement)) return
    if (event.key === 'Enter') take(event, readField(entrance) || undefined)
    else if (event.key.length === 1 && event.key !== ' ') take(event, readField(entrance) + event.key)
  })
}

/**
 * Listens for shortcuts. Uses the bubbling phase to let the page handle a key first, but the capturing phase if the site's
 * search is unreachable.
 */
function listenToShortcuts(siteSearch: SiteSearch, take: Take, isInstead: boolean): void {
  addEventListener(
    'keydown',
    event => {
      if (event.defaultPrevented || event.isComposing || event.altKey || siteSearch.exists()) return
      const isCommand = event.ctrlKey || event.metaKey
      const [target] = event.composedPath()
      const isTyping =
        target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
      const isShortcut = isCommand ? event.key.toLowerCase() === 'k' && !event.shiftKey : event.key === '/' && !isTyping
      if (isShortcut) take(event)
    },
    isInstead,
  )
}

/** Enables the page's search fields and buttons, and shows our button while none of them is visible. */
function keepButton(dialog: SearchDialog, siteSearch: SiteSearch): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const update = () => dialog.showButton(!siteSearch.exists() && !enableEntrances())
  const updateLater = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(update, ms)
  }
  addEventListener('resize', () => updateLater(200))
  if (!siteSearch.isScripted) {
    update()
    return
  }
  // Waits, because an app may add its search later.
  const afterLoad = () => {
    updateLater(800)
    setTimeout(update, 4000)
  }
  if (document.readyState === 'complete') afterLoad()
  else addEventListener('load', afterLoad)
}

/** Enables the page's search fields and buttons. Returns true if one of them is visible. */
function enableEntrances(): boolean {
  let isVisible = false
  for (const control of listEntrances()) {
    if (control instanceof HTMLInputElement || control instanceof HTMLButtonElement) control.disabled = false
    control.setAttribute('aria-haspopup', 'dialog')
    isVisible ||= control.getClientRects().length > 0
  }
  return isVisible
}

/** The state of the site's search in this page. */
interface SiteSearch {
  /** Whether the site's scripts run. */
  isScripted: boolean
  /** Decides whether this search field or button opens the site's search. */
  owns(entrance: Element): boolean
  /** Decides whether the page currently has a search field or button of the site's search. */
  exists(): boolean
}

/** @param isGone whether the site's search is a service that the bundle cannot reach. */
function createSiteSearch(isGone: boolean): SiteSearch {
  const isScripted = siteRuns()
  const isRunning = isScripted && !isGone
  const owns = (entrance: Element) => isRunning && entrance.closest(disabledForm) === null
  return { isScripted, owns, exists: () => isRunning && listEntrances().some(owns) }
}

/** Decides whether the site's scripts run here. If not, the export removed them or made them inert. */
function siteRuns(): boolean {
  return Array.from(document.scripts).some(
    ({ type, src, text }) =>
      /^(module)?$|(java|ecma)script/i.test(type.trim()) &&
      (src === '' ? text.trim() !== '' : !/\/_quire\/[a-z]+\.js$/.test(src)),
  )
}

const searchWord =
  /(?<!re)search|suche|recherche|buscar|b\u00fasqueda|pesquisa|ricerca|zoek|s\u00f6k|s\u00f8g|szukaj|hledat|\u043f\u043e\u0438\u0441\u043a|\u043f\u043e\u0448\u0443\u043a|\u68c0\u7d22|\u691c\u7d22|\u641c\u7d22|\u641c\u5c0b|\uac80\uc0c9|\u0628\u062d\u062b|\u05d7\u05d9\u05e4\u05d5\u05e9/i
const entranceControls = 'input, button, [role=button], [role=searchbox], a:not([href]), a[href="#"]'

/** Forms that the export disabled. */
const disabledForm = 'form[data-quire-dead], form[data-quire-missing], form[data-quire-removed]'

/** Decides whether a control is a search field or search button of the page. */
function isEntrance(control: Element): boolean {
  if (control instanceof HTMLInputElement) {
    if (control.type === 'search') return true
    if (!/^(text|submit|button|image)$/.test(control.type)) return false
  }
  return control.getAttribute('role') === 'searchbox' || isNamed(control) || control.closest('[role=search]') !== null
}

function isNamed(element: Element): boolean {
  const attributes = ['aria-label', 'title', 'class', 'id', 'name', 'placeholder']
  return attributes.some(each => searchWord.test(element.getAttribute(each) ?? ''))
}

function listEntrances(): Element[] {
  return Array.from(document.querySelectorAll(entranceControls)).filter(isEntrance)
}

/** Finds the search field or button that contains an element. */
function closestEntrance(element: Element): Element | null {
  const control = element.closest(entranceControls)
  return control && isEntrance(control) ? control : null
}

/** Returns the text in a search field, or an empty text for other controls. */
function readField(control: Element): string {
  return control instanceof HTMLInputElement && /^(text|search)$/.test(control.type) ? control.value : ''
}
