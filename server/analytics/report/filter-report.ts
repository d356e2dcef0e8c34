import type { VisitCountReader } from '../visit-counts.ts'
import { readPages } from '../visit-counts.ts'
import { type FilterName, filterNames, hasFilter, type VisitFilter } from '../visit-filter.ts'
import type { FailedPages } from './failed-report.ts'
import { filterReader } from './filter-reader.ts'
import type { Rows } from './rows.ts'
import { buildReport, type LabelReport, type ReportOptions, readReport, type VisitReport } from './visit-report.ts'

/** Chooses visits, and rows with a path. */
export interface ReportFilter extends VisitFilter {
  /** The beginning of paths. The visitors of several pages are not counted together, so lists without paths are empty. */
  path?: string | undefined
}

export function isFiltered(filter: ReportFilter): boolean {
  return filter.path !== undefined || hasFilter(filter)
}

/** Reads the counts of a range and a filter. With `path`, the totals and the series are those of all paths. */
export async function buildFilteredReport(
  reader: VisitCountReader,
  { filter, ...options }: ReportOptions & { filter: ReportFilter },
): Promise<VisitReport> {
  const chosen = filterReader(reader, filter)
  const { path: prefix } = filter
  if (prefix === undefined) return await buildReport(chosen, options)
  const { report, counts } = await readReport(chosen, options)
  report.pageCount = 0
  for await (const part of readPages(counts)) {
    const below = part.filter(({ path }) => path.startsWith(prefix))
    report.pages.push(...below.slice(0, options.limit - report.pages.length))
    report.pageCount += below.length
  }
  return {
    ...report,
    coverage: { ...report.coverage, agents: [] },
    assistantPages: report.assistantPages.filter(({ path }) => path.startsWith(prefix)),
    labels: keepPaths(report.labels, prefix),
  }
}

/** Keeps the lists with paths. */
function keepPaths({ referrals, failed: { missing, broken } }: LabelReport, prefix: string): LabelReport {
  const keep = (failed: FailedPages) => ({
    ...failed,
    pages: failed.pages.filter(({ path }) => path.startsWith(prefix)),
  })
  const pages = referrals.pages.filter(({ path }) => path.startsWith(prefix))
  return {
    agents: [],
    uses: [],
    files: [],
    readers: [],
    neither: [],
    referrals: { visitors: 0, sites: [], pages },
    loaded: 0,
    failed: { missing: keep(missing), broken: keep(broken) },
  }
}

/** Tables of what is known of the whole site only. */
const ofSite: readonly string[] = ['unread', 'neither', 'files']

/** Returns the name of a filter that a table cannot apply; undefined = it applies all. */
export function findForeignFilter(
  table: string,
  columns: readonly string[],
  filter: ReportFilter,
): FilterName | 'path' | undefined {
  if (filter.path !== undefined && !columns.includes('path')) return 'path'
  return ofSite.includes(table) ? filterNames.find(name => filter[name] !== undefined) : undefined
}

/** Keeps the rows of a table whose path begins so. */
export async function* keepRowsBelow(
  columns: readonly string[],
  parts: AsyncIterable<Rows> | Iterable<Rows>,
  prefix: string,
): AsyncGenerator<Rows> {
  const at = columns.indexOf('path')
  for await (const rows of parts) yield Array.from(rows).filter(row => String(row[at]).startsWith(prefix))
}
