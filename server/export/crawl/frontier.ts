import { keepSmallestKeys } from '../../base/bounded-map.ts'
import type { Exclusions } from '../model/exclusions.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { PageOutcome } from '../model/resource.ts'
import { addSpelling, type Candidate } from './candidate.ts'
import { manyLinks } from './expected-pages.ts'
import { gaveNothing } from './page-outcomes.ts'

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
