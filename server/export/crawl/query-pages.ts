import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { isTellingQuery, linkKey, queryKey } from '../model/site.ts'
import type { MutableSite } from './collected-site.ts'
import type { CrawlTools } from './crawl-tools.ts'

/** Finds the paths where every query is a separate page, such as /index.php?title=Install. */
export interface QueryPages {
  /** Notes a link with a query whose path is not known to be such a path. */
  note(url: URL): void
  /** The first 1,000 links, sorted, whose query was dropped because the path without it is the page. */
  folded(): string[]
  /** The links to visit with their query, by what is known now. */
  next(): Promise<URL[]>
}

/** Queries tried on a path that is no page without one, before the others are followed. */
const maxTries = 3
/** Links kept whose query was dropped. */
export const maxFolded = 1000
/** Links kept for a path until it is known what its queries mean. */
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
  /** The key of the path, by the key of a query. */
  paths: Map<string, string>
}

/**
 * Where the path without a query is a page, a query sorts, counts or tracks and makes no other page. Where the path alone
 * is missing, or redirects to itself with a query, a few queries are tried; if one gives a page, all are followed.
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

/** The links of a path to visit now. */
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

/** Whether a path gives pages only with a query. Null = not known yet. */
async function needsQuery({ tools, found }: Queries, key: string): Promise<boolean | null> {
  const outcome = found.pages.get(key)
  if (outcome?.state === 'missing') return true
  if (outcome?.state !== 'page') return outcome ? false : null
  const { url } = outcome.resource
  if (!isTellingQuery(url)) return false
  // The redirect may have come from elsewhere: /login?next=/a says nothing about /login.
  const plain = new URL(url)
  plain.search = ''
  if (!tools.isAllowed(plain)) return false
  const landed = await findLanding(tools, plain)
  if (!landed || linkKey(landed) !== key || !isTellingQuery(landed)) return false
  // The page kept under the path is the page of this query.
  found.pages.set(queryKey(url), { state: 'redirect', to: key })
  return true
}

/** The URL after redirects; null when the request fails. */
async function findLanding({ fetcher }: QueryTools, url: URL): Promise<URL | null> {
  const answer = await fetcher.open(url).catch(() => null)
  await answer?.drop()
  return answer?.url ?? null
}

/** From now on every query on this path is a page. */
function openPath({ found, waiting }: Queries, key: string): URL[] {
  found.queried.add(key)
  const urls = [...(waiting.get(key)?.values() ?? [])]
  waiting.delete(key)
  return urls
}

/** From now on queries on this path are ignored. */
function closePath({ waiting, closed }: Queries, key: string): [] {
  closed.add(key)
  waiting.delete(key)
  return []
}
