import { disabledForm, listEntrances } from './entrances.ts'

/** The state of the site's search in this page. */
export interface SiteSearch {
  /** Whether the site's scripts run. */
  isScripted: boolean
  /** Decides whether this search field or button opens the site's search. */
  owns(entrance: Element): boolean
  /** Decides whether the page currently has a search field or button of the site's search. */
  exists(): boolean
}

/** @param isGone whether the site's search is a service that the bundle cannot reach. */
export function createSiteSearch(isGone: boolean): SiteSearch {
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
