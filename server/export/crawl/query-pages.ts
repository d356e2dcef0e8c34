import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { isTellingQuery, linkKey, queryKey } from '../model/site.ts'
import type { MutableSite } from './collected-site.ts'
import type { CrawlTools } from './crawl-tools.ts'

/** Finds the paths where every query is a separate page, such as /index.php?title=Install. */
export interface QueryPages {
  /** Records a link with a query, on a path that is not yet known to have a page per query. */
  note(url: URL): void
  /** Returns the first 1,000 links, sorted, whose query was dropped because the path alone is the page. */
  folded(): string[]
  /** Returns the links to visit with their query, based on the outcomes so far. */
  next(): Promise<URL[]>
}

/** Max queries tried on a path that is not a page by itself, before the other queries are followed. */
const maxTries = 3
/** Max links kept whose query was dropped. */
export const maxFolded = 1000
/** Max links kept per undecided path. */
const maxWaiting = 1000

type QueryTools = Pick<CrawlTools, 'fetcher' | 'isAllowed'>
type QuerySite = Pick<MutableSite, 'pages' | 'queried'>

interface Queries {
  tools: QueryTools
  found: QuerySite
  /** Links of undecided paths, by the key of the path and of the query. */
  waiting: Map<string, Map<string, URL>>
  /** Keys of the queries tried, by the key of the path. */
  tried: Map<string, string[]>
  /** Keys of paths whose queries make no pages. */
  closed: Set<string>
  /** The key of the path for each key of a query. */
  paths: Map<string, string>
}

/**
 * Creates the finder. If the path without a query is a page, its queries only sort, count or track, and are ignored. If the
 * path alone is missing, or redirects to itself with a query, a few queries are tried. If one of them returns a page, all
 * are followed.
 */
export function createQueryPages(tools: QueryTools, found: QuerySite): QueryPages {
  const queries: Queries = {
    tools,
    found,
    waiting: new Map(),
    tried: new Map(),
    closed: new Set(),
    paths: new Map(),
  }
  return {
    note: url => note(queries, url),
    folded() {
      const isFolded = (key: string) => found.pages.get(key)?.state === 'page' && !found.queried.has(key)
      const folded = [...queries.paths].flatMap(([query, key]) => (isFolded(key) ? [query] : []))
      return folded.sort().slice(0, maxFolded)
    },
    async next() {
      const links: URL[] = []
      for (const [key, urls] of [...queries.waiting].sort(([a], [b]) => (a < b ? -1 : 1)))
        links.push(...(await decide(queries, key, urls)))
      return links
    },
  }
}

function note({ waiting, closed, paths }: Queries, url: URL): void {
  const key = linkKey(url)
  if (!isTellingQuery(url)) return
  paths.set(queryKey(url), key)
  keepSmallestKeys(paths, maxFolded)
  if (closed.has(key)) return
  const urls = waiting.get(key) ?? new Map<string, URL>()
  waiting.set(key, urls)
  urls.set(queryKey(url), url)
  keepSmallestKeys(urls, maxWaiting)
}

/** Returns the links of a path to visit now. */
async function decide(queries: Queries, key: string, urls: Map<string, URL>): Promise<URL[]> {
  const { found, tried } = queries
  const before = tried.get(key)
  if (before) return before.some(query => isPage(found, query)) ? openPath(queries, key) : closePath(queries, key)
  const needs = await needsQuery(queries, key)
  if (needs === null) return []
  if (!needs) return closePath(queries, key)
  if (found.pages.get(key)?.state === 'page') return openPath(queries, key)
  const tries = [...urls.keys()].sort().slice(0, maxTries)
  tried.set(key, tries)
  return tries.flatMap(query => urls.get(query) ?? [])
}

function isPage({ pages }: QuerySite, query: string): boolean {
  const outcome = pages.get(query)
  return outcome?.state === 'page' || (outcome?.state === 'redirect' && pages.get(outcome.to)?.state === 'page')
}

/** Decides whether a path returns pages only with a query. Null = not known yet. */
async function needsQuery({ tools, found }: Queries, key: string): Promise<boolean | null> {
  const outcome = found.pages.get(key)
  if (outcome?.state === 'missing') return true
  if (outcome?.state !== 'page') return outcome ? false : null
  const { url } = outcome.resource
  if (!isTellingQuery(url)) return false
  // The redirect may come from another path: /login?next=/a does not show that /login needs a query.
  const plain = new URL(url)
  plain.search = ''
  if (!tools.isAllowed(plain)) return false
  const landed = await findLanding(tools, plain)
  if (!landed || linkKey(landed) !== key || !isTellingQuery(landed)) return false
  // The page stored under the path is the page of this query.
  found.pages.set(queryKey(url), { state: 'redirect', to: key })
  return true
}

/** Returns the URL after redirects; null when the request fails. */
async function findLanding({ fetcher }: QueryTools, url: URL): Promise<URL | null> {
  const answer = await fetcher.open(url).catch(() => null)
  await answer?.drop()
  return answer?.url ?? null
}

/** Treats every query on this path as a page from now on. Returns the waiting links. */
function openPath({ found, waiting }: Queries, key: string): URL[] {
  found.queried.add(key)
  const urls = [...(waiting.get(key)?.values() ?? [])]
  waiting.delete(key)
  return urls
}

/** Ignores all queries on this path from now on. */
function closePath({ waiting, closed }: Queries, key: string): [] {
  closed.add(key)
  waiting.delete(key)
  return []
}
