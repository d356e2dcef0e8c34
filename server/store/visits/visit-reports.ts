import { AgentPageCounter, findReadFrom } from '../../analytics/counters/agent-pages.ts'
import type { PageDirectory } from '../../analytics/counters/page-directory.ts'
import type { DaySpan } from '../../analytics/counters/range-plan.ts'
import type { RangeSum } from '../../analytics/counters/range-sum.ts'
import type { Day } from '../../analytics/day.ts'
import type { DayRange, PageVisitors } from '../../analytics/unique-visitors.ts'
import type { AgentPages, PageOrder, RangeCounts, VisitedDays } from '../../analytics/visit-counts.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Database } from '../database.ts'
import type { openPeriodKeys } from './period-keys.ts'
import type { openSeenDays } from './seen-days.ts'
import type { SeenLabels } from './seen-labels.ts'
import type { VisitCounters } from './visit-counters.ts'
import type { VisitPages } from './visit-pages.ts'
import { toSpan, toVisitedDays } from './visited-days.ts'

/** The counts of a project without visits. */
export const noReport: RangeCounts = {
  totals: { human: 0, ai: 0, total: 0 },
  pageCount: 0,
  listPages: () => [],
  selectPages: () => ({ pages: [], matching: 0 }),
  labels: new Map(),
}

export const noAgentPages: AgentPages = { agents: new Map(), readFrom: 0, pathsOf: () => [] }

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
  /** Returns the pages whose path contains a text, in upper or lower case. */
  listContaining(text: string): Awaitable<ReadonlySet<number>>
}

/** Returns the counts of a range, whose paths are read when they are asked for. */
export function toRangeCounts(
  { sum, ranks, ranked }: RankedSum,
  { pathsOf, listContaining }: PagePaths,
): Omit<RangeCounts, 'labels'> {
  const namePages = async (pages: Uint32Array) => nameCounts(await pathsOf(pages), pages, sum)
  const orderPages = (order: PageOrder) => {
    if (order === 'total') return ranked
    return order === 'path' ? sum.keepVisited(ranks.pages) : sum.rank(ranks.ofPage, ranks.pages, order)
  }
  return {
    totals: sum.site,
    pageCount: ranked.length,
    listPages: (from, to) => namePages(ranked.subarray(from, to)),
    async selectPages({ order, contains, limit, offset }) {
      const ordered = orderPages(order)
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
  return {
    findDays: database.transaction((): VisitedDays | undefined =>
      toVisitedDays(counters.findDays(), seenLabels.findDays(), {
        labelledFrom: findLabelled.get(),
        prunedBefore: findKept.get(),
      }),
    ),
    countRange: database.transaction((range: DayRange): RangeCounts => {
      const span = toSpan(range)
      const counted = rankRange({ pages, counters }, span)
      return { ...(counted ? toRangeCounts(counted, pages) : noReport), labels: seenLabels.count(span) }
    }),
    readAgentPages: database.transaction((range: DayRange): AgentPages => {
      const span = toSpan(range)
      const counter = new AgentPageCounter(pages.directory().size)
      seenLabels.addAgents(counter, span)
      for (const visitor of counter.listVisitors()) counter.addRows(visitor, seen.listOf(visitor, span.to), span)
      const readFrom = findReadFrom(seen.keptFrom(), keys.listDestroyed())
      return { agents: counter.finish(), readFrom, pathsOf: pages.pathsOf }
    }),
    countTotals: database.transaction((ranges: readonly DayRange[]) =>
      ranges.map(range => counters.sumSite(toSpan(range))),
    ),
  }
}
