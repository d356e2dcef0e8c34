import type { DaySpan } from '../../analytics/counters/range-plan.ts'
import type { RangeSum } from '../../analytics/counters/range-sum.ts'
import type { Day } from '../../analytics/day.ts'
import type { DayRange, PageVisitors } from '../../analytics/unique-visitors.ts'
import type { PageOrder, PageSelection, RangeCounts, SelectedPages, VisitedDays } from '../../analytics/visit-counts.ts'
import type { Database } from '../database.ts'
import type { SeenLabels } from './seen-labels.ts'
import type { VisitCounters } from './visit-counters.ts'
import type { VisitPages } from './visit-pages.ts'

/** The counts of a project without visits. */
export const noReport: RangeCounts = {
  totals: { human: 0, ai: 0, total: 0 },
  pageCount: 0,
  listPages: () => [],
  selectPages: () => ({ pages: [], matching: 0 }),
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
      const orderPages = (order: PageOrder) => {
        if (order === 'total') return ranked
        return order === 'path' ? sum.keepVisited(byPath) : sum.rank(ofPage, byPath, order)
      }
      return {
        totals: sum.site,
        pageCount: ranked.length,
        // The path of a number never changes, so it can be read after the transaction.
        listPages: (from, to) => namePages(ranked.subarray(from, to), { sum, pages }),
        selectPages: selection => selectPages(orderPages(selection.order), selection, { sum, pages }),
        labels,
      }
    }),
    countTotals: database.transaction((ranges: readonly DayRange[]) =>
      ranges.map(range => counters.sumSite(toSpan(range))),
    ),
  }
}

/** Reads paths after the transaction of the counts: the path of a number never changes. */
function selectPages(
  ordered: Uint32Array,
  { contains, limit, offset }: PageSelection,
  { sum, pages }: { sum: RangeSum; pages: VisitPages },
): SelectedPages {
  const matching = contains === '' ? ordered : keepPages(ordered, pages.listContaining(contains))
  const window = matching.subarray(offset, offset + limit)
  return { pages: namePages(window, { sum, pages }), matching: matching.length }
}

function namePages(numbers: Uint32Array, { sum, pages }: { sum: RangeSum; pages: VisitPages }): PageVisitors[] {
  return pages.pathsOf(numbers).map((path, i) => ({ path, ...sum.countsOf(numbers[i] as number) }))
}

function keepPages(ordered: Uint32Array, kept: readonly number[]): Uint32Array {
  const isKept = new Set(kept)
  return ordered.filter(page => isKept.has(page))
}

/** Returns the days of a range. */
export function toSpan({ dateFrom, dateTo }: DayRange): DaySpan {
  return { from: dateFrom ?? Number.MIN_SAFE_INTEGER, to: dateTo ?? Number.MAX_SAFE_INTEGER }
}
