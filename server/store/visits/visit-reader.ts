import type { PageColumns } from '../../analytics/counters/range-sum.ts'
import type {
  AllPages,
  CountsAtRevision,
  DayRange,
  PageVisitors,
  UniqueVisitors,
} from '../../analytics/unique-visitors.ts'
import type { Database } from '../database.ts'
import type { VisitCounters } from './visit-counters.ts'
import type { VisitPages } from './visit-pages.ts'
import { nameCounts, type RankedSum, rankRange } from './visit-reports.ts'
import { noRevision, type VisitRevision } from './visit-revision.ts'
import { toSpan } from './visited-days.ts'

export const noVisitors: UniqueVisitors = { totals: { human: 0, ai: 0, total: 0 }, visitors: [], hasMore: false }
export const noCounts: CountsAtRevision = { ...noVisitors, revision: noRevision }

/** All pages of a range at one instant, in the order of an answer. */
export interface RankedPages extends Pick<AllPages, 'revision' | 'totals'> {
  pages: PageColumns
}

export const noPages: RankedPages = {
  revision: noRevision,
  totals: noVisitors.totals,
  pages: { numbers: new Uint32Array(), human: new Float64Array(), ai: new Float64Array(), total: new Float64Array() },
}

/** The range of pages that a caller requests. */
export interface Window {
  limit: number
  offset: number
}

/** Returns the pages of an answer by number, and the rest of it. */
export function takeWindow({ sum, ranked }: RankedSum, { limit, offset }: Window) {
  const numbers = ranked.subarray(offset, offset + limit)
  return { totals: sum.site, numbers, hasMore: numbers.length > 0 && ranked.length > offset + limit }
}

/** @param counted undefined = there are no visits at all */
export function toRankedPages(counted: RankedSum | undefined): Omit<RankedPages, 'revision'> {
  return counted ? { totals: counted.sum.site, pages: counted.sum.columnsOf(counted.ranked) } : noPages
}

/**
 * Returns pages with their paths.
 *
 * @param from the place of the first path in the columns
 */
export function nameColumns(paths: readonly string[], { human, ai, total }: PageColumns, from: number): PageVisitors[] {
  return paths.map((path, i) => ({
    path,
    human: human[from + i] as number,
    ai: ai[from + i] as number,
    total: total[from + i] as number,
  }))
}

interface Parts {
  database: Database
  pages: VisitPages
  counters: VisitCounters
  revision: VisitRevision
}

/** Reads the counts of one project on SQLite. Each method reads everything at the same instant while an import writes. */
export function openVisitReader({ database, pages, counters, revision }: Parts) {
  const rank = (range: DayRange) => rankRange({ pages, counters }, toSpan(range))

  function countInside(range: DayRange, window: Window): UniqueVisitors {
    const counted = rank(range)
    if (!counted) return noVisitors
    const { numbers, ...counts } = takeWindow(counted, window)
    return { ...counts, visitors: nameCounts(pages.pathsOf(numbers), numbers, counted.sum) }
  }

  const count = database.transaction(countInside)
  const countAtRevision = database.transaction(
    (range: DayRange, window: Window): CountsAtRevision => ({
      revision: revision.find(),
      ...countInside(range, window),
    }),
  )
  const rankPages = database.transaction((range: DayRange): RankedPages => {
    return { ...toRankedPages(rank(range)), revision: revision.find() }
  })

  return {
    findRevision: revision.find,
    count: (range: DayRange, window: Window) => count(range, window),
    countAtRevision: (range: DayRange, window: Window) => countAtRevision(range, window),
    rankPages: (range: DayRange) => rankPages(range),
    /**
     * Lists pages with their paths. Needs no transaction, because the path of a page never changes and pages are never
     * deleted.
     *
     * @throws {RangeError} when a page is missing
     */
    nameAll: (columns: PageColumns, from: number, to: number): PageVisitors[] =>
      nameColumns(pages.pathsOf(columns.numbers.subarray(from, to)), columns, from),
  }
}
