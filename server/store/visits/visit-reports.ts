import { AgentPageCounter, findReadFrom, PageReaders } from '../../analytics/counters/agent-pages.ts'
import type { PageDirectory } from '../../analytics/counters/page-directory.ts'
import type { DaySpan } from '../../analytics/counters/range-plan.ts'
import type { RangeSum } from '../../analytics/counters/range-sum.ts'
import type { Day } from '../../analytics/day.ts'
import { type ChosenLabels, isMatchedLabel, toMatchedTotals } from '../../analytics/report/choose-labels.ts'
import type { DayRange, PageVisitors, VisitorCounts } from '../../analytics/unique-visitors.ts'
import type { AgentPages, NumberedCounts, PageOrder, RangeCounts, VisitedDays } from '../../analytics/visit-counts.ts'
import { isOnlyPage, type LabelChoice, type VisitFilter } from '../../analytics/visit-filter.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Database } from '../database.ts'
import type { openPeriodKeys } from './period-keys.ts'
import type { openSeenDays } from './seen-days.ts'
import type { SeenLabels } from './seen-labels.ts'
import type { VisitCounters } from './visit-counters.ts'
import type { VisitPages } from './visit-pages.ts'
import { toSpan, toVisitedDays } from './visited-days.ts'

export const nobody: VisitorCounts = { human: 0, ai: 0, total: 0 }

/** The pages of a project without visits. */
export const noReport: RangeCounts = {
  pageCount: 0,
  listPages: () => [],
  countsOf: paths => paths.map(() => nobody),
  selectPages: () => ({ pages: [], matching: 0 }),
}

export const noAgentPages: AgentPages = {
  agents: new Map(),
  all: { pages: new Uint32Array(), visitors: new Uint32Array() },
  readFrom: 0,
  pathsOf: () => [],
}

/** The pages of a range in the order of an answer. */
export interface RankedSum {
  sum: RangeSum
  /** Of all pages of the project. */
  ranks: ReturnType<PageDirectory['ranks']>
  ranked: Uint32Array
}

export function rankSum(sum: RangeSum, ranks: RankedSum['ranks']): RankedSum {
  return { sum, ranks, ranked: sum.rank(ranks.ofPage, ranks.pages) }
}

/** Returns the counts of pages with their paths. */
export function nameCounts(paths: readonly string[], pages: Uint32Array, sum: RangeSum): PageVisitors[] {
  return paths.map((path, i) => ({ path, ...sum.countsOf(pages[i] as number) }))
}

/** Reads paths after the transaction of the counts: the path of a number never changes. */
interface PagePaths {
  pathsOf(pages: Uint32Array): Awaitable<string[]>
  /** Returns the index of each page; undefined if there is none. */
  findAll(paths: readonly string[]): Awaitable<(number | undefined)[]>
  /** Returns the pages whose path contains a text, in upper or lower case. */
  listContaining(text: string): Awaitable<ReadonlySet<number>>
}

/** Returns the counts of a range, whose paths are read when they are asked for. */
export function toRangeCounts(
  { sum, ranks, ranked }: RankedSum,
  { pathsOf, findAll, listContaining }: PagePaths,
): RangeCounts {
  const namePages = async (pages: Uint32Array) => nameCounts(await pathsOf(pages), pages, sum)
  const orderPages = (order: PageOrder, before: NumberedCounts | undefined) =>
    order === 'total' && !before ? ranked : sum.rank(ranks.ofPage, ranks.pages, order, before)
  return {
    sum,
    pageCount: ranked.length,
    listPages: (from, to) => namePages(ranked.subarray(from, to)),
    countsOf: async paths => (await findAll(paths)).map(index => sum.countsOf(index ?? Number.POSITIVE_INFINITY)),
    async selectPages({ order, contains, limit, offset }, before) {
      const ordered = orderPages(order, before?.sum)
      const kept = contains === '' ? undefined : await listContaining(contains)
      const matching = kept ? ordered.filter(page => kept.has(page)) : ordered
      return { pages: await namePages(matching.subarray(offset, offset + limit)), matching: matching.length }
    },
  }
}

interface Sources {
  pages: VisitPages
  counters: VisitCounters
}

/** Ranks the pages of a range on SQLite. Called in a transaction. Returns undefined if there are no visits at all. */
export function rankRange({ pages, counters }: Sources, span: DaySpan): RankedSum | undefined {
  const sum = counters.sum(span)
  return sum && rankSum(sum, pages.directory().ranks(pages.listByPath))
}

interface ReportSources extends Sources {
  labels: SeenLabels
  seen: ReturnType<typeof openSeenDays>
  keys: ReturnType<typeof openPeriodKeys>
}

/** Reads the counts of a project on SQLite for reports, see `VisitCountReader`. */
export function openVisitReports(
  database: Database,
  { pages, counters, labels: seenLabels, seen, keys }: ReportSources,
) {
  const findLabelled = database.prepare<[], Day>('SELECT from_day FROM labelled').pluck()
  const findKept = database.prepare<[], Day>('SELECT from_day FROM kept').pluck()
  const { countLabels, sumPage } = openFilteredCounts({ pages, counters, seenLabels, seen })
  return {
    findDays: database.transaction((): VisitedDays | undefined =>
      toVisitedDays(counters.findDays(), seenLabels.findDays(), {
        labelledFrom: findLabelled.get(),
        prunedBefore: findKept.get(),
        readFrom: findReadFrom(seen.keptFrom(), keys.listDestroyed()) || undefined,
      }),
    ),
    countRange: database.transaction((range: DayRange): RangeCounts => {
      const counted = rankRange({ pages, counters }, toSpan(range))
      return counted ? toRangeCounts(counted, { ...pages, findAll: paths => paths.map(pages.find) }) : noReport
    }),
    countLabels: database.transaction(
      (range: DayRange, choice?: LabelChoice) => countLabels([range], choice)[0] ?? new Map<string, number>(),
    ),
    readAgentPages: database.transaction((range: DayRange, filter?: VisitFilter): AgentPages => {
      const span = toSpan(range)
      const counter = new AgentPageCounter(pages.directory().size)
      seenLabels.addAgents(counter, span, seenLabels.choose({ filter }))
      for (const visitor of counter.listVisitors()) counter.addRows(visitor, seen.listOf(visitor, span.to), span)
      const readFrom = findReadFrom(seen.keptFrom(), keys.listDestroyed())
      return { ...counter.finish(), readFrom, pathsOf: pages.pathsOf }
    }),
    countTotals: database.transaction((ranges: readonly DayRange[], filter?: VisitFilter) => {
      if (!filter) return ranges.map(range => counters.sumSite(toSpan(range)))
      return isOnlyPage(filter)
        ? sumPage(filter.page, ranges)
        : countLabels(ranges, { filter, isWanted: isMatchedLabel }).map(toMatchedTotals)
    }),
  }
}

/** Counts labels, and the visitors of one page. Called in a transaction. */
function openFilteredCounts({
  pages,
  counters,
  seenLabels,
  seen,
}: Sources & Pick<ReportSources, 'seen'> & { seenLabels: SeenLabels }) {
  /** Finds who read the page of a filter as AI in a range; undefined = the filter does not ask for it. */
  function findReaders(page: string | undefined, span: DaySpan, chosen: ChosenLabels) {
    if (page === undefined || chosen.agents.size === 0) return undefined
    const index = pages.find(page)
    if (index === undefined) return undefined
    const readers = new PageReaders(index, span)
    for (const visitor of seenLabels.listVisitors(span, chosen)) readers.addRows(visitor, seen.listOf(visitor, span.to))
    return readers.byDay
  }

  function countLabels(ranges: readonly DayRange[], choice: LabelChoice = {}): Map<string, number>[] {
    const spans = ranges.map(toSpan)
    const chosen = seenLabels.choose(choice)
    const readersOf = findReaders(choice.filter?.page, uniteSpans(spans), chosen)
    return spans.map(span => seenLabels.count(span, chosen, readersOf))
  }

  function sumPage(path: string, ranges: readonly DayRange[]): VisitorCounts[] {
    const index = pages.find(path)
    return ranges.map(range => (index === undefined ? nobody : counters.sumPage(toSpan(range), index)))
  }

  return { countLabels, sumPage }
}

/** Returns the span from the first day to the last one of all spans. */
export function uniteSpans(spans: readonly DaySpan[]): DaySpan {
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) }
}
