import type { PageColumns, RangeSum } from '../../analytics/counters/range-sum.ts'
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
import { noRevision, type VisitRevision } from './visit-revision.ts'

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
interface Window {
  limit: number
  offset: number
}

interface Parts {
  database: Database
  pages: VisitPages
  counters: VisitCounters
  revision: VisitRevision
}

/** Reads the counts of one project. Each method reads everything at the same instant while an import writes. */
export function openVisitReader({ database, pages, counters, revision }: Parts) {
  function rank({ dateFrom, dateTo }: DayRange): { sum: RangeSum; ranked: Uint32Array } | undefined {
    const sum = counters.sum({
      from: dateFrom ?? Number.MIN_SAFE_INTEGER,
      to: dateTo ?? Number.MAX_SAFE_INTEGER,
    })
    if (!sum) return undefined
    const { ofPage, pages: byPath } = pages.directory().ranks(pages.listByPath)
    return { sum, ranked: sum.rank(ofPage, byPath) }
  }

  function countInside(range: DayRange, { limit, offset }: Window): UniqueVisitors {
    const { sum, ranked } = rank(range) ?? {}
    if (!sum || !ranked) return noVisitors
    const window = ranked.subarray(offset, offset + limit)
    return {
      totals: sum.site,
      visitors: Array.from(window, page => ({ path: pages.pathOf(page), ...sum.countsOf(page) })),
      hasMore: window.length > 0 && ranked.length > offset + limit,
    }
  }

  const count = database.transaction(countInside)
  const countAtRevision = database.transaction(
    (range: DayRange, window: Window): CountsAtRevision => ({
      revision: revision.find(),
      ...countInside(range, window),
    }),
  )
  const rankPages = database.transaction((range: DayRange): RankedPages => {
    const { sum, ranked } = rank(range) ?? {}
    if (!sum || !ranked) return { ...noPages, revision: revision.find() }
    return { revision: revision.find(), totals: sum.site, pages: sum.columnsOf(ranked) }
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
    nameAll: ({ numbers, human, ai, total }: PageColumns, from: number, to: number): PageVisitors[] =>
      pages.pathsOf(numbers.subarray(from, to)).map((path, i) => ({
        path,
        human: human[from + i] as number,
        ai: ai[from + i] as number,
        total: total[from + i] as number,
      })),
  }
}
