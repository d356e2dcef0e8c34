import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { routeKey, routePlace } from '../model/fragment-route.ts'
import type { ExportLimits } from '../model/limits.ts'
import { isTrap, linkKey } from '../model/site.ts'
import type { MutableSite } from './collected-site.ts'
import type { PageCompleter } from './page-completer.ts'

/** Finds pages that differ only in the fragment, such as /#/guide. */
export interface RoutePages {
  /** Records a link whose fragment may name a page of an app. */
  note(url: URL): void
  /** Returns the keys of the pages to visit, based on the outcomes so far. Each key is returned once. */
  next(): Promise<string[]>
}

/** Max fragments tried on a page before it counts as a single page. */
const maxTries = 3
/** Max failed pages before the rest is skipped: a button that links to `#/` may be on every page of a site. */
const maxVain = 3
/** Max links kept for a page until it is known whether the page is an app. */
const maxWaiting = 1000

/** Creates the finder. A fragment names a page only in an app: a rendered page that changes with the fragment. */
export function createRoutePages(
  { pages, apps }: Pick<MutableSite, 'pages' | 'apps'>,
  { links: maxLinks }: Pick<ExportLimits, 'links'>,
  completer: Pick<PageCompleter, 'isApp'>,
): RoutePages {
  const waiting = new Map<string, Map<string, null>>()
  const known = new Set<string>()
  const closed = new Set<string>()
  let vain = 0

  async function decide(key: string, routes: readonly string[]): Promise<string[]> {
    if (vain < maxVain && (await completer.isApp(key, routes.slice(0, maxTries)))) return [...routes]
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
      keepSmallestKeys(routes, apps.has(key) ? maxLinks : maxWaiting)
    },
    async next() {
      const found: string[] = []
      for (const [key, routes] of [...waiting].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const outcome = pages.get(key)
        // A page with scripts may still be rendered later.
        if (outcome?.state !== 'page' || (!outcome.resource.rendered && outcome.resource.hasScripts)) continue
        waiting.delete(key)
        const sorted = [...routes.keys()].sort()
        if (apps.has(key)) found.push(...sorted)
        else if (outcome.resource.rendered) found.push(...(await decide(key, sorted)))
        else closed.add(key)
      }
      for (const route of found) known.add(route)
      return found
    },
  }
}
