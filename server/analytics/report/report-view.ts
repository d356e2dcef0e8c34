import type { Awaitable } from '../../base/awaitable.ts'
import { type Day, formatDay } from '../day.ts'
import { loadedLabel } from '../labels.ts'
import type { DayRange, PageVisitors, VisitorCounts } from '../unique-visitors.ts'
import {
  isByChange,
  type PageSelection,
  type RangeCounts,
  readPages,
  type VisitCountReader,
  type VisitedDays,
} from '../visit-counts.ts'
import { hasFilter, type VisitFilter } from '../visit-filter.ts'
import { csvHead, toCsvLine } from '../visitors-csv.ts'
import { type ComparedReport, type Comparison, findComparedRange, readCompared } from './compare.ts'
import { filterReader } from './filter-reader.ts'
import { choosePeriodLength, type Period, type PeriodLength } from './periods.ts'
import type { ProjectReaders } from './project-readers.ts'
import {
  cutRange,
  type LabelReport,
  type ReportList,
  readReport,
  toDayRange,
  type VisitReport,
} from './visit-report.ts'

/** A report for a screen: some of the pages, and lists that are cut. */
export interface ReportView extends VisitReport {
  /**
   * Number of the pages that contain the text of the selection. With a comparison whose days all have visits counted, the pages are also
   * those that had visitors only then.
   */
  matching: number
  /** First and last date with visits, both inclusive; null = no visits at all. */
  visited: { first: string; last: string } | null
  /** Null unless a comparison was asked for, and the range has a first day. */
  compared: ComparedReport | null
  /** Number of rows that were cut off. */
  cut: { agents: number; neither: number; assistantPages: number; missing: number; broken: number }
}

export interface ReportQuestion {
  projectId: string
  range: DayRange
  pages: PageSelection
  comparison?: Comparison | undefined
  filter?: VisitFilter | undefined
  /** Reads only this list, and leaves the others empty. Default: all. */
  list?: ReportList | undefined
  /** Reads what agents read even if that takes long. */
  hasCoverage?: boolean | undefined
}

/** Reads reports for screens and files. An unknown project has no visits. */
export interface VisitReportReader {
  readReport(question: ReportQuestion): Awaitable<ReportView>
  readProjectReaders(projectId: string, today: Day): Awaitable<ProjectReaders>
  /** Counts the visitors of the whole site in each range. */
  countTotals(projectId: string, ranges: readonly DayRange[]): Awaitable<VisitorCounts[]>
  /**
   * Returns the report with all pages as JSON, in parts, in UTF-8. Whoever does not read it to its end calls `return` of its
   * iterator. Waits while the project has too many unread files.
   */
  readReportFile(projectId: string, range: DayRange, filter?: VisitFilter): Awaitable<AsyncIterable<Uint8Array>>
  /** Returns the pages of a filter as CSV, see `readReportFile`. */
  readPageFile(projectId: string, range: DayRange, filter: VisitFilter): Awaitable<AsyncIterable<Uint8Array>>
}

/** Rows of each list. The pages that people came to from assistants may be as many as the pages of the site. */
const maxRows = 100
/** A chart with a point for each day is readable up to this many days. */
const maxChartDays = 400
/** The counters of a page are in those of the whole site, so a day takes longer. */
const maxPageDays = 100

/** In 30 days with 2,000 people each, their loaded pages take 15 ms to count, and in a year 0.2 s. */
const maxLoadedDays = 31

/** Reads the report of a range for a screen. */
export async function viewReport(
  all: VisitCountReader,
  { projectId, range, pages, comparison, filter, list, hasCoverage }: ReportQuestion,
): Promise<ReportView> {
  const reader = filterReader(all, filter)
  const contains = toPathText(pages.contains)
  const { report, counts, visited } = await readReport(reader, {
    projectId,
    range,
    list,
    hasCoverage,
    choosePeriodLength: days => chooseChartPeriod(days, filter),
  })
  const { from, to } = cutRange(range, visited)
  if (list !== undefined && list !== 'agents' && !hasFilter(filter ?? {}) && to - from <= maxLoadedDays) {
    const isWanted = (label: string) => label === loadedLabel
    const loaded = await reader.countLabels(projectId, toDayRange({ from, to }), { isWanted })
    report.labels.loaded = loaded.get(loadedLabel) ?? 0
  }
  const { agents, neither, failed } = report.labels
  const before =
    comparison && (list ?? 'pages') === 'pages'
      ? await countBefore(reader, projectId, { range, comparison, visited })
      : undefined
  const order = !before && isByChange(pages.order) ? 'total' : pages.order
  const selected = await counts.selectPages({ ...pages, contains, order }, before)
  const { periods } = report.series
  const compared = comparison && { projectId, range, comparison, pages: selected.pages, before, periods, list }
  return {
    ...report,
    ...selected,
    compared: compared ? await readCompared(reader, compared) : null,
    labels: cutLabels(report.labels),
    assistantPages: report.assistantPages.slice(0, maxRows),
    visited: visited ? { first: formatDay(visited.first), last: formatDay(visited.last) } : null,
    cut: {
      agents: Math.max(0, agents.length - maxRows),
      neither: Math.max(0, neither.length - maxRows),
      assistantPages: Math.max(0, report.assistantPages.length - maxRows),
      missing: Math.max(0, failed.missing.pages.length - maxRows),
      broken: Math.max(0, failed.broken.pages.length - maxRows),
    },
  }
}

/** Counts the range that a range is compared with; undefined if it has days before the first visit. */
async function countBefore(
  reader: VisitCountReader,
  projectId: string,
  { range, comparison, visited }: { range: DayRange; comparison: Comparison; visited: VisitedDays | undefined },
): Promise<RangeCounts | undefined> {
  const compared = visited && findComparedRange(range, comparison, visited.last)
  if (!compared || visited.first > compared.dateFrom) return undefined
  return await reader.countRange(projectId, toDayRange(cutRange(compared, visited)))
}

/** Counts a range, and writes its report with all pages as JSON part by part. */
export async function writeReportFile(
  all: VisitCountReader,
  { projectId, range, filter }: { projectId: string; range: DayRange; filter?: VisitFilter | undefined },
): Promise<AsyncIterator<string>> {
  const { report, counts } = await readReport(filterReader(all, filter), {
    projectId,
    range,
    choosePeriodLength: days => chooseChartPeriod(days, filter),
  })
  const { pages: _, ...rest } = report
  const head = JSON.stringify({ project: projectId, filter, ...rest }, null, 2).slice(0, -2)
  return writeParts(`${head},\n  "pages": [`, readPages(counts))
}

/** Counts the pages that a filter chooses, and writes them as CSV part by part. */
export async function writePageFile(
  reader: VisitCountReader,
  { projectId, range, filter }: { projectId: string; range: DayRange; filter: VisitFilter },
): Promise<AsyncIterator<string>> {
  return writeCsv(readPages(await filterReader(reader, filter).countRange(projectId, range)))
}

async function* writeCsv(pages: AsyncIterable<PageVisitors[]>): AsyncGenerator<string> {
  yield csvHead
  for await (const part of pages) yield part.map(toCsvLine).join('')
}

async function* writeParts(head: string, pages: AsyncIterable<PageVisitors[]>): AsyncGenerator<string> {
  let text = head
  let isFirst = true
  for await (const part of pages) {
    for (const page of part) {
      text += `${isFirst ? '' : ','}\n    ${JSON.stringify(page)}`
      isFirst = false
    }
    yield text
    text = ''
  }
  yield `${text}${isFirst ? '' : '\n  '}]\n}\n`
}

function cutLabels({ agents, neither, referrals, failed: { missing, broken }, ...labels }: LabelReport): LabelReport {
  return {
    ...labels,
    agents: agents.slice(0, maxRows),
    neither: neither.slice(0, maxRows),
    failed: {
      missing: { ...missing, pages: missing.pages.slice(0, maxRows) },
      broken: { ...broken, pages: broken.pages.slice(0, maxRows) },
    },
    referrals: { ...referrals, pages: referrals.pages.slice(0, maxRows) },
  }
}

function chooseChartPeriod(range: Period, filter: VisitFilter = {}): PeriodLength {
  const max = filter.page === undefined ? maxChartDays : maxPageDays
  if (range.to - range.from <= max) return 'day'
  return filter.page === undefined ? choosePeriodLength(range) : 'month'
}

/** Encodes what a person types as paths are encoded: they have only printable ASCII characters. */
function toPathText(text: string): string {
  return text.toWellFormed().replaceAll(/[^!-~]/gu, character => encodeURIComponent(character))
}
