import type { DaySpan } from '../../analytics/counters/range-plan.ts'
import type { Day } from '../../analytics/day.ts'
import type { DayRange } from '../../analytics/unique-visitors.ts'
import type { RangeCounts, VisitedDays } from '../../analytics/visit-counts.ts'
import type { Database } from '../database.ts'
import type { SeenLabels } from './seen-labels.ts'
import type { VisitCounters } from './visit-counters.ts'
import type { VisitPages } from './visit-pages.ts'

/** The counts of a project without visits. */
export const noReport: RangeCounts = {
  totals: { human: 0, ai: 0, total: 0 },
  pageCount: 0,
  pages: () => [],
  labels: new Map(),
}

interface Sources {
  pages: VisitPages
  counters: VisitCounters
  labels: SeenLabels
}

/** Reads the counts of a project for reports, see `VisitCountReader`. */
export function openVisitReports(database: Database, { pages, counters, labels: seenLabels }: Sources) {
  const findLabelled = database.prepare<[], Day>('SELECT from_day FROM labelled').pluck()
  const findKept = database.prepare<[], Day>('SELECT from_day FROM kept').pluck()
  return {
    findDays: database.transaction((): VisitedDays | undefined => {
      const found = [counters.findDays(), seenLabels.findDays()].filter(days => days !== undefined)
      if (found.length === 0) return undefined
      return {
        first: Math.min(...found.map(({ first }) => first)),
        last: Math.max(...found.map(({ last }) => last)),
        labelledFrom: findLabelled.get(),
        prunedBefore: findKept.get(),
      }
    }),
    countRange: database.transaction((range: DayRange): RangeCounts => {
      const span = toSpan(range)
      const sum = counters.sum(span)
      const labels = seenLabels.count(span)
      if (!sum) return { ...noReport, labels }
      const { ofPage, pages: byPath } = pages.directory().ranks(pages.listByPath)
      const ranked = sum.rank(ofPage, byPath)
      return {
        totals: sum.site,
        pageCount: ranked.length,
        // The path of a number never changes, so it can be read after the transaction.
        *pages() {
          for (const page of ranked) yield { path: pages.pathOf(page), ...sum.countsOf(page) }
        },
        labels,
      }
    }),
    countTotals: database.transaction((ranges: readonly DayRange[]) =>
      ranges.map(range => counters.sumSite(toSpan(range))),
    ),
  }
}

function toSpan({ dateFrom, dateTo }: DayRange): DaySpan {
  return { from: dateFrom ?? Number.MIN_SAFE_INTEGER, to: dateTo ?? Number.MAX_SAFE_INTEGER }
}
