import type { Awaitable } from '../base/awaitable.ts'
import type { Day } from './day.ts'
import type { DayRange, PageVisitors, VisitorCounts } from './unique-visitors.ts'
import type { LabelChoice, VisitFilter } from './visit-filter.ts'

/**
 * The orders of pages: by visitors in descending order, or by how many more or fewer came than in the range before, the largest
 * difference first; then by path in byte order. Or only by path.
 */
export const pageOrders = ['total', 'human', 'ai', 'path', 'gain', 'loss'] as const
export type PageOrder = (typeof pageOrders)[number]

/** Whether an order needs the range before. */
export function isByChange(order: PageOrder): order is 'gain' | 'loss' {
  return order === 'gain' || order === 'loss'
}

/** Chooses pages of a range. */
export interface PageSelection {
  order: PageOrder
  /** Only pages whose path contains the text, in upper or lower case; '' = all. */
  contains: string
  limit: number
  offset: number
}

/** The chosen pages, and the number of all pages that contain the text. */
export interface SelectedPages {
  pages: PageVisitors[]
  matching: number
}

/** The counts of a range by the number of a page, which is the same in all ranges of a project. */
export interface NumberedCounts {
  /** Returns zeros for a page that was added later. */
  countsOf(page: number): VisitorCounts
}

/** The pages of a range. Each visitor counts once in the range, regardless of the number of days. */
export interface RangeCounts {
  /** Number of pages with visitors. */
  pageCount: number
  /**
   * Lists the pages with visitors from place `from` up to place `to` of all of them, sorted by total in descending order, then by path in
   * byte order.
   */
  listPages(from: number, to: number): Awaitable<PageVisitors[]>
  /** Returns the counts of pages by their paths, in the same order. */
  countsOf(paths: readonly string[]): Awaitable<VisitorCounts[]>
  /**
   * Lists some of the pages with visitors; with the counts `before` of the same reader also those that had visitors only then. Takes
   * 0.1 s of 600,000 pages.
   */
  selectPages(selection: PageSelection, before?: RangeCounts): Awaitable<SelectedPages>
  /** Undefined if the pages have no numbers. */
  sum?: NumberedCounts
}

/** The pages that the visitors of an agent read, and the number of these visitors for each page. */
export interface AgentReadings {
  /** Numbers for `AgentPages.pathsOf`. */
  pages: Uint32Array
  visitors: Uint32Array
}

/** The pages that each AI agent read in a range. */
export interface AgentPages {
  agents: ReadonlyMap<string, AgentReadings>
  /** The pages that any of the agents read. */
  all: AgentReadings
  /** The first day whose pages are known: the visitors of earlier days were deleted. 0 = all are known. */
  readFrom: Day
  pathsOf(pages: Uint32Array): Awaitable<string[]>
}

/** The days with visits. */
export interface VisitedDays {
  first: Day
  last: Day
  /** The first day whose visits all have labels; undefined when all have them. */
  labelledFrom: Day | undefined
  /** The first day whose visitors are known; undefined = none were pruned. */
  prunedBefore?: Day | undefined
  /** See `AgentPages.readFrom`; undefined = all are known. */
  readFrom?: Day | undefined
}

/** Reads the counts of reports. An unknown project has no visits. */
export interface VisitCountReader {
  /** Reads all visits, if this one reads those of a filter. */
  unfiltered?: VisitCountReader
  /** Returns undefined when there are no visits. */
  findVisitedDays(projectId: string): Awaitable<VisitedDays | undefined>
  countRange(projectId: string, range: DayRange): Awaitable<RangeCounts>
  /** Counts the distinct visitors of each label, see `labels.ts`; labels without visitors are omitted. */
  countLabels(projectId: string, range: DayRange, choice?: LabelChoice): Awaitable<ReadonlyMap<string, number>>
  /** Reads the pages of the chosen agents, see `chooseLabels` of reports. Takes 60 ms for 110,000 views in a year. */
  readAgentPages(projectId: string, range: DayRange, filter?: VisitFilter): Awaitable<AgentPages>
  /**
   * Counts the visitors of the whole site in each range, much faster than `countRange`; or those that a filter matches, see
   * `filterReader`.
   */
  countTotals(projectId: string, ranges: readonly DayRange[], filter?: VisitFilter): Awaitable<VisitorCounts[]>
}

/** Pages that are read together: about 80 KB of text. */
const pagesPerPart = 1000

/** Reads all pages with visitors part by part, because there may be millions. */
export async function* readPages({
  pageCount,
  listPages,
}: Pick<RangeCounts, 'pageCount' | 'listPages'>): AsyncGenerator<PageVisitors[]> {
  for (let from = 0; from < pageCount; from += pagesPerPart) yield await listPages(from, from + pagesPerPart)
}
