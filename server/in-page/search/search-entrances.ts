import { closestEntrance, isEntrance, listEntrances, readField } from './entrances.ts'
import type { SearchDialog } from './search-dialog.ts'
import { createSiteSearch, type SiteSearch } from './site-search.ts'

/**
 * Opens the search dialog from the page's search fields and buttons, by `/` and Ctrl or Cmd K, and from our button if the
 * page has no search field or button. Does nothing if the site's search runs.
 *
 * @param isInstead whether the site's search is a service that the bundle cannot reach. Search fields and buttons added by
 * the site's scripts then open our dialog.
 */
export function openSearchEntrances(dialog: SearchDialog, isInstead: boolean): void {
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
