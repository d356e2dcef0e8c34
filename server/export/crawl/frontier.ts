// A long file: which pages are still to visit, and which links lead to a page that counts as another one.
import { keepSmallestKeys } from '../../base/bounded-map.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { PageOutcome } from '../model/resource.ts'
import {
  type Exclusions,
  isTellingQuery,
  isTrap,
  linkKey,
  linkTarget,
  queryKey,
  queryTarget,
  routeKey,
  routePlace,
} from '../model/site.ts'
import { manyLinks } from './check-outcome.ts'
import type { CrawlTools, MutableSite } from './crawl-tools.ts'

import type { PageCompleter } from './page-completer.ts'

/** The pages still to visit. */
export interface Frontier {
  /**
   * Adds a page, or a vote for one of its spellings. Returns false when the page is excluded.
   *
   * @param isListed whether a list of the site or the navigation of a page names it.
   */
  add(key: string, url: URL, isListed?: boolean): boolean
  /** Adds a page again if no spelling tried so far returned it and another spelling is left. */
  retry(candidate: Candidate): void
  /**
   * Takes the next generation, sorted by key. When a limit is reached, records the remaining pages as unvisited.
   *
   * @return an empty list when nothing is left to visit.
   */
  take(): Candidate[]
  isEmpty(): boolean
  /** Returns whether a page was ever added. */
  has(key: string): boolean
  /** Returns whether its links say that a reader expects the page; see `LostPage`. */
  isExpected(key: string): boolean
  /** Returns how many pages were ever added. */
  size(): number
  /** Returns whether pages were dropped because there were too many: neither visited nor recorded as unvisited. */
  isCut(): boolean
}

/** Max pages kept beyond the limit of links, to be named in the report. */
const reportedLinks = 1000

interface FrontierOptions {
  limits: Pick<ExportLimits, 'pages' | 'links'>
  exclusions: Exclusions
  /** Known outcomes, by key. The frontier adds unvisited pages. */
  pages: Map<string, PageOutcome>
}

export function createFrontier({ limits, exclusions, pages }: FrontierOptions): Frontier {
  const candidates = new Map<string, Candidate>()
  let waiting = new Map<string, Candidate>()
  let linksAsked = 0
  let isCut = false

  function addNew(key: string, target: string, isListed: boolean): void {
    const candidate: Candidate = { key, targets: [target], votes: [1], tried: 0, isListed }
    candidates.set(key, candidate)
    waiting.set(key, candidate)
    // Only the first pages in key order can still be visited or reported.
    const removed = keepSmallestKeys(waiting, limits.links - linksAsked + reportedLinks)
    for (const key of removed) candidates.delete(key)
    isCut ||= removed.length > 0
  }

  function retry(candidate: Candidate): void {
    const { key, tried, targets } = candidate
    const outcome = pages.get(key)
    if (outcome && gaveNothing(outcome) && tried > 0 && tried < targets.length) waiting.set(key, candidate)
  }

  return {
    add(key, url, isListed = false) {
      if (noteExcluded(exclusions, key, url)) return false
      const known = candidates.get(key)
      if (known) known.isListed ||= isListed
      if (!known) addNew(key, url.href, isListed)
      else if (addSpelling(known, url.href)) retry(known)
      return true
    },
    retry,
    take() {
      const sorted = [...waiting.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
      const pagesLeft = limits.pages - countPages(pages)
      const linksLeft = limits.links - linksAsked
      const batch = sorted.slice(0, Math.max(0, Math.min(pagesLeft, linksLeft)))
      waiting = new Map(sorted.slice(batch.length).map(candidate => [candidate.key, candidate]))
      if (batch.length === 0) {
        const limit = pagesLeft <= 0 ? `${limits.pages} pages` : `${limits.links} links`
        const unvisited: PageOutcome = { state: 'unvisited', reason: `past the limit of ${limit}` }
        // A known outcome stays, such as a missing first spelling: it is more informative.
        for (const key of waiting.keys()) if (!pages.has(key)) pages.set(key, unvisited)
        waiting.clear()
      }
      linksAsked += batch.length
      return batch
    },
    isEmpty: () => waiting.size === 0,
    has: key => candidates.has(key),
    isExpected(key) {
      const known = candidates.get(key)
      return known !== undefined && (known.isListed || known.votes.reduce((sum, votes) => sum + votes) >= manyLinks)
    },
    size: () => candidates.size,
    isCut: () => isCut,
  }
}

/** Returns whether a page is excluded, and records an excluded page for the report. */
export function noteExcluded(exclusions: Exclusions, key: string, url: URL): boolean {
  const isExcluded = exclusions.has(url)
  if (isExcluded) exclusions.note(key, url)
  return isExcluded
}

function countPages(pages: ReadonlyMap<string, PageOutcome>): number {
  let count = 0
  for (const outcome of pages.values()) if (outcome.state === 'page') count += 1
  return count
}

/** A page to visit, with the spellings under which it was linked (`/a`, `/a/`, `/a/index.html`). */
export interface Candidate {
  key: string
  targets: string[]
  /** Number of links per spelling, in the order of `targets`. */
  votes: number[]
  /** Number of targets tried so far. */
  tried: number
  /** Whether a list of the site or the navigation of a page names it. */
  isListed: boolean
  /** A spelling that no link uses. It is tried first, and counts only if it returns the page. */
  assumed?: string
}

/** Max spellings of a page: `/a`, `/a/`, `/a/index.html` and an assumed one. */
const maxSpellings = 4

/** Counts a link to a page. Returns true when its spelling is new. */
function addSpelling({ targets, votes }: Candidate, target: string): boolean {
  const at = targets.indexOf(target)
  if (at !== -1) votes[at] = (votes[at] ?? 0) + 1
  if (at !== -1 || targets.length >= maxSpellings) return false
  targets.push(target)
  votes.push(1)
  return true
}

/** Sorts the untried spellings by votes, in descending order. */
export function sortTargets(candidate: Candidate): void {
  const { targets, votes, tried } = candidate
  const rest = targets.slice(tried).map((target, at) => ({ target, votes: votes[tried + at] ?? 0 }))
  rest.sort((a, b) => b.votes - a.votes || (a.target < b.target ? -1 : 1))
  targets.splice(tried, rest.length, ...rest.map(({ target }) => target))
  votes.splice(tried, rest.length, ...rest.map(({ votes }) => votes))
}

/** The outcome of a request that returned no page. */
export type NoPage = Exclude<PageOutcome, { state: 'page' }>

const refused = 'refused by robots.txt'

export const refusedByRobots: NoPage = { state: 'skipped', reason: refused }
export const softMissing: NoPage = { state: 'missing', reason: 'same response as the not-found page of the site' }

/** Decides whether another spelling may still lead to the page. */
export function gaveNothing(outcome: PageOutcome): boolean {
  const { state } = outcome
  return state === 'missing' || state === 'failed' || (state === 'skipped' && outcome.reason === refused)
}

/** Returns whether a status says that the server could not answer. It says nothing about whether the page exists. */
export function isServerFailure(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}

/** Adds the targets of links to the frontier. */
interface PageLinks {
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
      queries.note(key, url)
      routes.note(key, url)
    },
    async addDistinguished() {
      for (const url of await queries.next()) frontier.add(queryKey(url), queryTarget(url))
      for (const route of await routes.next()) frontier.add(route, routePlace(route))
    },
    folded: queries.folded,
  }
}

/** Finds the paths where every query is a separate page, such as /index.php?title=Install. */
interface QueryPages {
  /** Records a link with a query, on a path that is not yet known to have a page per query; `key` is its linkKey. */
  note(key: string, url: URL): void
  /** Returns the first 1,000 links, sorted, whose query was dropped because the path alone is the page. */
  folded(): string[]
  /** Returns the links to visit with their query, based on the outcomes so far. */
  next(): Promise<URL[]>
}

/** Max queries tried on a path that is not a page by itself, before the other queries are followed. */
const maxQueryTries = 3
/** Max links kept whose query was dropped. */
export const maxFolded = 1000
/** Max links kept per undecided path, and for a page until it is known whether the page is an app. */
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
function createQueryPages(tools: QueryTools, found: QuerySite): QueryPages {
  const queries: Queries = {
    tools,
    found,
    waiting: new Map(),
    tried: new Map(),
    closed: new Set(),
    paths: new Map(),
  }
  return {
    note: (key, url) => note(queries, key, url),
    folded() {
      const isFolded = (key: string) => found.pages.get(key)?.state === 'page' && !found.queried.has(key)
      const folded = [...queries.paths].flatMap(([query, key]) => (isFolded(key) ? [query] : []))
      return folded.sort().slice(0, maxFolded)
    },
    async next() {
      const links: URL[] = []
      for (const [key, urls] of [...queries.waiting].sort(([a], [b]) => (a < b ? -1 : 1)))
        for (const link of await decide(queries, key, urls)) links.push(link)
      return links
    },
  }
}

function note({ waiting, closed, paths }: Queries, key: string, url: URL): void {
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
  const tries = [...urls.keys()].sort().slice(0, maxQueryTries)
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

/** Finds pages that differ only in the fragment, such as /#/guide. */
interface RoutePages {
  /** Records a link whose fragment may name a page of an app; `key` is its linkKey. */
  note(key: string, url: URL): void
  /** Returns the keys of the pages to visit, based on the outcomes so far. Each key is returned once. */
  next(): Promise<string[]>
}

/** Max fragments tried on a page before it counts as a single page. */
const maxRouteTries = 3
/** Max failed pages before the rest is skipped: a button that links to `#/` may be on every page of a site. */
const maxVain = 3

/** Creates the finder. A fragment names a page only in an app: a rendered page that changes with the fragment. */
function createRoutePages(
  { pages, apps }: Pick<MutableSite, 'pages' | 'apps'>,
  { links: maxLinks }: Pick<ExportLimits, 'links'>,
  completer: Pick<PageCompleter, 'isApp'>,
): RoutePages {
  const waiting = new Map<string, Map<string, null>>()
  const known = new Set<string>()
  const closed = new Set<string>()
  let vain = 0

  async function decide(key: string, routes: readonly string[]): Promise<string[]> {
    if (vain < maxVain && (await completer.isApp(key, routes.slice(0, maxRouteTries)))) return [...routes]
    vain += 1
    closed.add(key)
    return []
  }

  return {
    note(key, url) {
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
        const isApp = apps.has(key)
        if (!isApp && !outcome.resource.rendered) closed.add(key)
        else for (const route of isApp ? sorted : await decide(key, sorted)) found.push(route)
      }
      for (const route of found) known.add(route)
      return found
    },
  }
}
