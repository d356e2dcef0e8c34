import { OperatorError } from '../../base/operator-error.ts'
import { formatDay } from '../day.ts'
import type { DayRange, VisitorCounts } from '../unique-visitors.ts'
import { type AgentPages, type RangeCounts, readPages, type VisitCountReader } from '../visit-counts.ts'
import { reportAssistantPages, reportCoverage } from './agent-pages.ts'
import { compareRows, countColumns } from './compare.ts'
import { filterReader } from './filter-reader.ts'
import { findForeignFilter, keepRowsBelow, type ReportFilter } from './filter-report.ts'
import { type Period, type PeriodLength, splitRange } from './periods.ts'
import type { Rows } from './rows.ts'
import { cutRange, type LabelReport, reportLabels, toDayRange, withBoth } from './visit-report.ts'

/** A table of a report, for files. */
export interface Table {
  columns: readonly string[]
  /** The rows in parts, which are read one by one, because a table may have millions of rows. */
  parts: AsyncIterable<Rows> | Iterable<Rows>
}

/** The tables of a report. Each row of `days`, `weeks` and `months` has the totals of a period. */
export const tableNames = [
  'totals',
  'days',
  'weeks',
  'months',
  'pages',
  'unread',
  'agents',
  'uses',
  'coverage',
  'neither',
  'files',
  'readers',
  'referrals',
  'referral-pages',
  'assistant-pages',
  'failed',
  'failed-from',
] as const
export type TableName = (typeof tableNames)[number]

interface TableOptions {
  projectId: string
  range: DayRange
  table: TableName
  /** Splits the range: each period has its own rows, and its visitors are counted once in it. */
  by?: PeriodLength | undefined
}

type SeriesName = 'totals' | 'days' | 'weeks' | 'months'

const seriesPeriods: Record<Exclude<SeriesName, 'totals'>, PeriodLength> = {
  days: 'day',
  weeks: 'week',
  months: 'month',
}

/** Reads what a table needs. */
interface TableSources {
  countRange(): Promise<RangeCounts>
  /** Counts the pages of the whole site. */
  countPages(): Promise<number>
  reportLabels(): Promise<LabelReport>
  readAgentPages(): Promise<AgentPages>
}

const details: Record<
  Exclude<TableName, SeriesName>,
  { columns: readonly string[]; rows(sources: TableSources): Table['parts'] | Promise<Table['parts']> }
> = {
  pages: {
    columns: ['path', 'human', 'ai', 'total'],
    async *rows({ countRange }) {
      for await (const part of readPages(await countRange())) {
        yield part.map(({ path, human, ai, total }) => [path, human, ai, total])
      }
    },
  },
  unread: {
    columns: ['path', 'human'],
    async *rows({ countRange }) {
      for await (const part of readPages(await countRange())) {
        yield part.flatMap(({ path, human, ai }) => (ai === 0 ? [[path, human]] : []))
      }
    },
  },
  agents: {
    columns: ['agent', 'use', 'visitors'],
    rows: async ({ reportLabels }) => [
      (await reportLabels()).agents.map(({ agent, use, visitors }) => [agent, use, visitors]),
    ],
  },
  uses: {
    columns: ['use', 'agents', 'visitors'],
    rows: async ({ reportLabels }) => [
      (await reportLabels()).uses.map(({ use, agents, visitors }) => [use, agents, visitors]),
    ],
  },
  coverage: {
    columns: ['agent', 'use', 'read', 'pages'],
    async *rows({ countPages, readAgentPages }) {
      const { pages, agents } = reportCoverage(await readAgentPages(), await countPages())
      yield agents.map(({ agent, use, read }) => [agent, use, read, pages])
    },
  },
  neither: {
    columns: ['rule', 'visitors'],
    rows: async ({ reportLabels }) => [(await reportLabels()).neither.map(({ rule, visitors }) => [rule, visitors])],
  },
  files: {
    columns: ['file', 'human', 'ai', 'neither'],
    rows: async ({ reportLabels }) => [
      (await reportLabels()).files.map(({ file, human, ai, neither }) => [file, human, ai, neither]),
    ],
  },
  readers: {
    columns: ['file', 'agent', 'use', 'visitors'],
    rows: async ({ reportLabels }) => [
      (await reportLabels()).readers.map(({ file, agent, use, visitors }) => [file, agent, use, visitors]),
    ],
  },
  referrals: {
    columns: ['site', 'assistant', 'visitors'],
    rows: async ({ reportLabels }) => [
      (await reportLabels()).referrals.sites.map(({ site, assistant, visitors }) => [site, assistant, visitors]),
    ],
  },
  'referral-pages': {
    columns: ['path', 'site', 'visitors'],
    rows: async ({ reportLabels }) => [
      (await reportLabels()).referrals.pages.map(({ path, site, visitors }) => [path, site, visitors]),
    ],
  },
  'assistant-pages': {
    columns: ['path', 'site', 'assistant', 'ai', 'human'],
    async *rows({ reportLabels, readAgentPages }) {
      const rows = await reportAssistantPages(await readAgentPages(), (await reportLabels()).referrals.pages)
      yield rows.map(({ path, site, assistant, ai, human }) => [path, site, assistant, ai ?? '', human])
    },
  },
  failed: {
    columns: ['failure', 'path', 'human', 'ai'],
    rows: async ({ reportLabels }) => [
      listFailed(await reportLabels()).map(({ failure, path, human, ai }) => [failure, path, human, ai]),
    ],
  },
  'failed-from': {
    columns: ['failure', 'path', 'kind', 'from', 'use', 'visitors'],
    rows: async ({ reportLabels }) => [
      // By the rows themselves, because a filter leaves only those of an agent or a class.
      listFailed(await reportLabels())
        .flatMap(({ failure, path, sites, agents }) => [
          ...agents.map(({ agent, use, visitors }) => [failure, path, 'ai', agent, use, visitors] as const),
          ...sites.map(({ site, visitors }) => [failure, path, 'human', site, '', visitors] as const),
        ])
        .sort((a, b) => b[5] - a[5]),
    ],
  },
}

function listFailed({ failed }: LabelReport) {
  return Object.entries(failed).flatMap(([failure, { pages }]) => pages.map(row => ({ failure, ...row })))
}

/** Opens a table with the rows of a filter, and with the counts of a range that it is compared with. */
export async function openFilteredTable(
  reader: VisitCountReader,
  { filter, compared, ...options }: TableOptions & { filter: ReportFilter; compared?: DayRange | undefined },
): Promise<Table> {
  const chosen = filterReader(reader, filter)
  const now = filterTable(options.table, await openTable(chosen, options), filter)
  if (!compared) return now
  if (options.table in seriesPeriods) throw new OperatorError('--compare compares whole ranges: use --table totals.', 2)
  const before = filterTable(options.table, await openTable(chosen, { ...options, range: compared }), filter)
  const counts = now.columns.filter(column => countColumns.has(column))
  return {
    columns: [...now.columns, ...counts.map(column => `${column}Before`)],
    parts: compareRows(now.columns, now.parts, before.parts),
  }
}

function filterTable(name: TableName, { columns, parts }: Table, filter: ReportFilter): Table {
  const foreign = findForeignFilter(name, columns, filter)
  if (foreign !== undefined) {
    const fitting = tableNames.filter(other => {
      const columns = isSeries(other) ? [] : details[other].columns
      return findForeignFilter(other, columns, { [foreign]: filter[foreign] }) === undefined
    })
    throw new OperatorError(
      `--${foreign} needs another --table: one of ${fitting.join(', ')}. This one has the columns ${columns.join(', ')}.`,
      2,
    )
  }
  return { columns, parts: filter.path === undefined ? parts : keepRowsBelow(columns, parts, filter.path) }
}

/** Opens a table. Its first columns are `date`, or `dateFrom` and `dateTo` (exclusive), unless the range is not split. */
export async function openTable(
  reader: VisitCountReader,
  { projectId, range, table, by }: TableOptions,
): Promise<Table> {
  const whole = cutRange(range, await reader.findVisitedDays(projectId))
  if (isSeries(table)) return openSeries(reader, projectId, whole, table === 'totals' ? by : seriesPeriods[table])
  const { columns, rows } = details[table]
  const readRows = async (period: Period) => {
    const range = toDayRange(period)
    return rows({
      countRange: async () => reader.countRange(projectId, range),
      countPages: async () => (await (reader.unfiltered ?? reader).countRange(projectId, range)).pageCount,
      reportLabels: async () => reportLabels(await reader.countLabels(projectId, range)),
      readAgentPages: async () => reader.readAgentPages(projectId, range),
    })
  }
  if (by === undefined) return { columns, parts: await readRows(whole) }
  return {
    columns: [...dateColumns(by), ...columns],
    parts: splitParts(splitRange(whole, by), async period => {
      return { dates: toDates(period, by), parts: await readRows(period) }
    }),
  }
}

function isSeries(table: TableName): table is SeriesName {
  return table === 'totals' || table in seriesPeriods
}

async function openSeries(
  reader: VisitCountReader,
  projectId: string,
  whole: Period,
  by: PeriodLength | undefined,
): Promise<Table> {
  const periods = by === undefined ? [whole].filter(({ from, to }) => from < to) : splitRange(whole, by)
  const totals = await reader.countTotals(projectId, periods.map(toDayRange))
  return {
    columns: [...dateColumns(by), 'human', 'ai', 'both', 'total'],
    parts: [
      periods.map((period, i) => {
        const { human, ai, both, total } = withBoth(totals[i] as VisitorCounts)
        return [...toDates(period, by), human, ai, both, total]
      }),
    ],
  }
}

function dateColumns(by: PeriodLength | undefined): readonly string[] {
  return by === 'day' ? ['date'] : ['dateFrom', 'dateTo']
}

function toDates({ from, to }: Period, by: PeriodLength | undefined): string[] {
  return by === 'day' ? [formatDay(from)] : [formatDay(from), formatDay(to)]
}

async function* splitParts(
  periods: readonly Period[],
  read: (period: Period) => Promise<{ dates: string[]; parts: Table['parts'] }>,
): AsyncGenerator<Rows> {
  for (const period of periods) {
    const { dates, parts } = await read(period)
    for await (const rows of parts) yield mapRows(rows, row => [...dates, ...row])
  }
}

function* mapRows<Row, Mapped>(rows: Iterable<Row>, map: (row: Row) => Mapped): Generator<Mapped> {
  for (const row of rows) yield map(row)
}
