import { routePlace } from '../model/fragment-route.ts'
import { isTellingQuery, linkKey, linkTarget, queryKey, queryTarget } from '../model/site.ts'
import type { MutableSite } from './collected-site.ts'
import type { CrawlTools } from './crawl-tools.ts'
import type { Frontier } from './frontier.ts'
import type { PageCompleter } from './page-completer.ts'
import { createQueryPages } from './query-pages.ts'
import { createRoutePages } from './route-pages.ts'

/** Adds the targets of links to the frontier. */
export interface PageLinks {
  /** @param isListed whether a list of the site or the navigation of a page has the link. */
  add(url: URL, isListed?: boolean): void
  /** Adds pages that differ from other pages only in query or fragment. Called between generations. */
  addDistinguished(): Promise<void>
  /** Returns links whose query does not select a separate page; see `QueryPages`. */
  folded(): string[]
}

interface PageLinksOptions {
  tools: CrawlTools
  found: MutableSite
  frontier: Pick<Frontier, 'add'>
  completer: Pick<PageCompleter, 'isApp'>
}

export function createPageLinks({ tools, found, frontier, completer }: PageLinksOptions): PageLinks {
  const queries = createQueryPages(tools, found)
  const routes = createRoutePages(found, tools.limits, completer)
  return {
    add(url, isListed = false) {
      const key = linkKey(url)
      if (found.queried.has(key) && isTellingQuery(url)) {
        frontier.add(queryKey(url), queryTarget(url), isListed)
        return
      }
      if (!frontier.add(key, linkTarget(url), isListed)) return
      queries.note(url)
      routes.note(url)
    },
    async addDistinguished() {
      for (const url of await queries.next()) frontier.add(queryKey(url), queryTarget(url))
      for (const route of await routes.next()) frontier.add(route, routePlace(route))
    },
    folded: queries.folded,
  }
}
