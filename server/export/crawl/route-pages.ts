import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { routeKey, routePlace } from '../model/fragment-route.ts'
import { isTrap, linkKey } from '../model/site.ts'
import type { CrawlState } from './crawl-state.ts'

/** Finds the pages that only a fragment tells apart, such as /#/guide. */
export interface RoutePages {
  /** Hears of every link whose fragment may name a page of an app. */
  note(url: URL): void
  /** The keys of such pages that are worth a look, now that what was asked for is here. */
  next(): Promise<string[]>
}

/** So many fragments are tried on a page before it counts as one page. */
const maxTries = 3
/** So many pages are tried in vain; a button that leads to `#/` stands on all pages of a site. */
const maxVain = 3
/** So many links of a page are remembered until it is known what it is. */
const maxWaiting = 1000

/**
 * A fragment names a page only where a browser made the page of next to nothing, and where the page shows something else with
 * another fragment.
 *
 * @param isApp whether a page does so with any of the fragments, which are given as keys.
 */
export function createRoutePages(
  state: Pick<CrawlState, 'pages' | 'apps' | 'limits'>,
  isApp: (key: string, tries: readonly string[]) => Promise<boolean>,
): RoutePages {
  const waiting = new Map<string, Map<string, null>>()
  const known = new Set<string>()
  const closed = new Set<string>()
  let vain = 0

  async function decide(key: string, routes: readonly string[]): Promise<string[]> {
    if (vain < maxVain && (await isApp(key, routes.slice(0, maxTries)))) return [...routes]
    vain += 1
    closed.add(key)
    return []
  }

  return {
    note(url) {
      const key = linkKey(url)
      const route = routeKey(url)
      if (route === key || closed.has(key) || known.has(route) || isTrap(routePlace(route))) return
      const routes = waiting.get(key) ?? new Map<string, null>()
      waiting.set(key, routes)
      routes.set(route, null)
      keepSmallestKeys(routes, state.apps.has(key) ? state.limits.links : maxWaiting)
    },
    async next() {
      const found: string[] = []
      for (const [key, routes] of [...waiting].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const outcome = state.pages.get(key)
        // It may still turn out to be made by its scripts.
        if (outcome?.state !== 'page' || (!outcome.resource.rendered && outcome.resource.hasScripts)) continue
        waiting.delete(key)
        const sorted = [...routes.keys()].sort()
        if (state.apps.has(key)) found.push(...sorted)
        else if (outcome.resource.rendered) found.push(...(await decide(key, sorted)))
        else closed.add(key)
      }
      for (const route of found) known.add(route)
      return found
    },
  }
}
