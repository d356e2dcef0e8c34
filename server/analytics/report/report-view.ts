import type { Awaitable } from '../../base/awaitable.ts'
import { formatDay } from '../day.ts'
import type { DayRange, PageVisitors, VisitorCounts } from '../unique-visitors.ts'
import { type PageSelection, readPages, type VisitCountReader } from '../visit-counts.ts'
import { type ComparedReport, type Comparison, readCompared } from './compare.ts'
import { choosePeriodLength, type Period, type PeriodLength } from './periods.ts'
import { type LabelReport, readReport, type VisitReport } from './visit-report.ts'

/** A report for a screen: some of the pages, and lists that are cut. */
export interface ReportView extends VisitReport {
  /** Number of the pages that contain the text of the selection. */
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
}

/** Reads reports for screens and files. An unknown project has no visits. */
export interface VisitReportReader {
  readReport(question: ReportQuestion): Awaitable<ReportView>
  /** Counts the visitors of the whole site in each range. */
  countTotals(projectId: string, ranges: readonly DayRange[]): Awaitable<VisitorCounts[]>
  /**
   * Returns the report with all pages as JSON, in parts, in UTF-8. Whoever does not read it to its end calls `return` of its
   * iterator. Waits while the project has too many unread files.
   */
  readReportFile(projectId: string, range: DayRange): Awaitable<AsyncIterable<Uint8Array>>
}

/** Rows of each list. The pages that people came to from assistants may be as many as the pages of the site. */
const maxRows = 100
/** A chart with a point for each day is readable up to this many days. */
const maxChartDays = 400

/** Reads the report of a range for a screen. */
export async function viewReport(
  reader: VisitCountReader,
  { projectId, range, pages, comparison }: ReportQuestion,
): Promise<ReportView> {
  const contains = toPathText(pages.contains)
  const { report, counts, visited } = await readReport(reader, {
    projectId,
    range,
    choosePeriodLength: chooseChartPeriod,
  })
  const { agents, neither, failed } = report.labels
  const selected = await counts.selectPages({ ...pages, contains })
  return {
    ...report,
    ...selected,
    compared: comparison ? await readCompared(reader, { projectId, range, comparison, pages: selected.pages }) : null,
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

/** Counts a range, and writes its report with all pages as JSON part by part. */
export async function writeReportFile(
  reader: VisitCountReader,
  projectId: string,
  range: DayRange,
): Promise<AsyncIterator<string>> {
  const { report, counts } = await readReport(reader, { projectId, range, choosePeriodLength: chooseChartPeriod })
  const { pages: _, ...rest } = report
  const head = JSON.stringify({ project: projectId, ...rest }, null, 2).slice(0, -2)
  return writeParts(`${head},\n  "pages": [`, readPages(counts))
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

function chooseChartPeriod(range: Period): PeriodLength {
  return range.to - range.from <= maxChartDays ? 'day' : choosePeriodLength(range)
}

/** Encodes what a person types as paths are encoded: they have only printable ASCII characters. */
function toPathText(text: string): string {
  return text.toWellFormed().replaceAll(/[^!-~]/gu, character => encodeURIComponent(character))
}
