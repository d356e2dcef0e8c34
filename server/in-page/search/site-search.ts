import { disabledForm, listEntrances } from './entrances.ts'

/** The state of the site's own search in this page. */
export interface SiteSearch {
  /** Whether scripts of the site run. */
  isScripted: boolean
  /** Whether this entrance leads to the site's own search. */
  owns(entrance: Element): boolean
  /** Whether the page currently has an entrance to the site's own search. */
  exists(): boolean
}

/** @param isGone whether the site's own search is a service that the bundle cannot reach. */
export function createSiteSearch(isGone: boolean): SiteSearch {
  const isScripted = siteRuns()
  const isRunning = isScripted && !isGone
  const owns = (entrance: Element) => isRunning && entrance.closest(disabledForm) === null
  return { isScripted, owns, exists: () => isRunning && listEntrances().some(owns) }
}

/** Whether the site's scripts run here: otherwise the export has removed them or made them inert. */
function siteRuns(): boolean {
  return Array.from(document.scripts).some(
    ({ type, src, text }) =>
      /^(module|.*(java|ecma)script.*)?$/i.test(type.trim()) &&
      (src === '' ? text.trim() !== '' : !/\/_quire\/[a-z]+\.js$/.test(src)),
  )
}
