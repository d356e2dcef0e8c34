import { dayMs } from '../../base/day-ms.ts'
import { type Day, formatDay, parseDay } from '../day.ts'
import type { DayRange, PageVisitors, VisitorCounts } from '../unique-visitors.ts'
import type { RangeCounts, VisitCountReader } from '../visit-counts.ts'
import type { Cell, Rows } from './rows.ts'
import {
  cutRange,
  type LabelReport,
  type ReportList,
  readLabels,
  type TotalVisitors,
  toDayRange,
  withBoth,
} from './visit-report.ts'

/** What a range is compared with: the days before it, as many as it has; or the same days of the year before. */
export const comparisons = ['previous', 'year'] as const
export type Comparison = (typeof comparisons)[number]

/** The counts of the range that a report is compared with. */
export interface ComparedReport {
  with: Comparison
  dateFrom: string
  dateTo: string
  totals: TotalVisitors
  /** The first date with visits if it is after `dateFrom`: then the compared range is not complete. */
  visitedFrom: string | null
  /** The visitors of the pages of the report in the compared range, in the same order. */
  pages: PageVisitors[]
  /** The visitors of the compared days of each period of the series, in the same order. */
  periods: VisitorCounts[]
  /** Undefined unless a list of labels is compared. */
  labels?: LabelReport
}

const nobody: VisitorCounts = { human: 0, ai: 0, total: 0 }

/**
 * Returns the range to compare a range with; undefined if the range has no first day.
 *
 * @param lastDay of the visits, which ends a range that is open
 */
export function findComparedRange(
  { dateFrom, dateTo }: DayRange,
  comparison: Comparison,
  lastDay: Day,
): Required<DayRange> | undefined {
  if (dateFrom === undefined) return undefined
  const to = Math.max(dateFrom, dateTo ?? lastDay + 1)
  if (comparison === 'previous') return { dateFrom: dateFrom - (to - dateFrom), dateTo: dateFrom }
  return { dateFrom: aYearBefore(dateFrom), dateTo: aYearBefore(to) }
}

/** Returns the day that a day of a range is compared with. */
function findComparedDay(day: Day, comparison: Comparison, { dateFrom, dateTo }: Required<DayRange>): Day {
  return comparison === 'year' ? aYearBefore(day) : day - (dateTo - dateFrom)
}

/** Reads the counts of the range that a range is compared with; null if there is none. */
export async function readCompared(
  reader: VisitCountReader,
  { projectId, range, comparison, pages, before, periods: shown = [], list = 'pages' }: CompareOptions,
): Promise<ComparedReport | null> {
  const visited = await reader.findVisitedDays(projectId)
  const compared = findComparedRange(range, comparison, visited?.last ?? 0)
  if (!compared) return null
  const days = toDayRange(cutRange(compared, visited))
  const paths = pages.map(({ path }) => path)
  const counts = paths.length > 0 ? await (before ?? (await reader.countRange(projectId, days))).countsOf(paths) : []
  const toCompared = (date: string) => findComparedDay(parseDay(date) ?? 0, comparison, compared)
  const split = shown.map(({ dateFrom, dateTo }) => {
    const period = { dateFrom: toCompared(dateFrom), dateTo: toCompared(dateTo) }
    return toDayRange(cutRange(period, visited))
  })
  const [totals = nobody, ...periods] = await reader.countTotals(projectId, [days, ...split])
  return {
    with: comparison,
    dateFrom: formatDay(compared.dateFrom),
    dateTo: formatDay(compared.dateTo),
    totals: withBoth(totals),
    visitedFrom: visited && visited.first > compared.dateFrom ? formatDay(visited.first) : null,
    pages: paths.map((path, i) => ({ path, ...(counts[i] ?? nobody) })),
    periods,
    ...(list !== 'pages' && { labels: await readLabels(reader, { projectId, days, list }) }),
  }
}

interface CompareOptions {
  projectId: string
  range: DayRange
  comparison: Comparison
  pages: readonly PageVisitors[]
  /** The counts of the compared range, if they were read already. */
  before?: RangeCounts | undefined
  /** The periods of the report. The days with which each is compared are counted. */
  periods?: readonly { dateFrom: string; dateTo: string }[]
  /** What is compared besides the totals. Default: pages. */
  list?: ReportList | undefined
}

/** Shows a change: `+12 %`, or `new` if nobody came before. */
export function showChange(now: number, before: number): string {
  if (before === 0) return now === 0 ? '0 %' : 'new'
  const percent = Math.round(((now - before) / before) * 100)
  return `${percent > 0 ? '+' : ''}${percent.toLocaleString('en-US')} %`
}

/** Shows a change as a number and in percent: `-12 (-32 %)`, or `0`. */
export function showDifference(now: number, before: number): string {
  if (now === before) return '0'
  return `${now > before ? '+' : ''}${(now - before).toLocaleString('en-US')} (${showChange(now, before)})`
}

/** The columns whose numbers are compared. */
export const countColumns: ReadonlySet<string> = new Set([
  'human',
  'ai',
  'both',
  'total',
  'agents',
  'neither',
  'visitors',
  'read',
  'pages',
])

/** A count that is not known stays empty. */
function toNone(cell: Cell): Cell {
  return typeof cell === 'number' ? 0 : cell
}

/** Adds the counts of the compared range to the rows, and at the end the rows that only that range has. */
export async function* compareRows(
  columns: readonly string[],
  now: AsyncIterable<Rows> | Iterable<Rows>,
  before: AsyncIterable<Rows> | Iterable<Rows>,
): AsyncGenerator<Rows> {
  const isCount = (_: unknown, i: number) => countColumns.has(columns[i] as string)
  const counts = (row: readonly Cell[]) => row.filter(isCount)
  const keyOf = (row: readonly Cell[]) =>
    JSON.stringify(row.filter((cell, i) => !isCount(cell, i) && !columns[i]?.startsWith('date')))
  const left = new Map<string, readonly Cell[]>()
  for await (const rows of before) for (const row of rows) left.set(keyOf(row), row)
  for await (const rows of now) {
    yield Array.from(rows, row => {
      const key = keyOf(row)
      const old = left.get(key)
      left.delete(key)
      return [...row, ...(old ? counts(old) : counts(row).map(toNone))]
    })
  }
  yield Array.from(left.values(), row => [...row.map(toNone), ...counts(row)])
}

function aYearBefore(day: Day): Day {
  const date = new Date(day * dayMs)
  return date.setUTCFullYear(date.getUTCFullYear() - 1) / dayMs
}
