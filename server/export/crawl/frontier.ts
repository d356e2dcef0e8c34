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
import { createQueryPages, maxWaiting } from './query-pages.ts'

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
