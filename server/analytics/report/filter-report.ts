import type { AgentUse } from '../agents/agent-list.ts'
import { readPages, type VisitCountReader } from '../visit-counts.ts'
import type { FailedPages } from './failed-report.ts'
import type { Cell, Rows } from './rows.ts'
import { buildReport, type LabelReport, type ReportOptions, readReport, type VisitReport } from './visit-report.ts'

/** Chooses rows of a report. A filter applies to lists that know what it names; the other lists are empty. */
export interface ReportFilter {
  /** The beginning of paths. */
  path?: string | undefined
  /** The name of an AI agent, in upper or lower case. */
  agent?: string | undefined
  class?: AgentUse | undefined
  /** The site that people came from. */
  referrer?: string | undefined
}

type FilterName = keyof ReportFilter

export function hasFilter(filter: ReportFilter): boolean {
  return Object.values(filter).some(value => value !== undefined)
}

/** Reads the counts of a range and a filter. The totals and the series are those of the site. */
export async function buildFilteredReport(
  reader: VisitCountReader,
  { filter, ...options }: ReportOptions & { filter: ReportFilter },
): Promise<VisitReport> {
  if (!hasFilter(filter)) return await buildReport(reader, options)
  const { report, counts } = await readReport(reader, options)
  report.pageCount = 0
  const { path: _, ...others } = filter
  for await (const part of hasFilter(others) ? [] : readPages(counts)) {
    const below = part.filter(page => isBelow(page, filter))
    report.pages.push(...below.slice(0, options.limit - report.pages.length))
    report.pageCount += below.length
  }
  return { ...report, ...filterAgentPages(report, filter), labels: filterLabels(report.labels, filter) }
}

/** Returns the lists that are left by a filter. */
function filterLabels(labels: LabelReport, filter: ReportFilter): LabelReport {
  if (!hasFilter(filter)) return labels
  const knows = (...names: FilterName[]) => hasOnly(filter, names)
  const { agents, uses, readers, files, neither, referrals, loaded, failed } = labels
  const referred = knows('path', 'referrer')
  return {
    agents: knows('agent', 'class') ? agents.filter(row => isAgent(row, filter)) : [],
    uses: knows('class') ? uses.filter(({ use }) => use === filter.class) : [],
    files: knows() ? files : [],
    readers: knows('agent', 'class') ? readers.filter(row => isAgent(row, filter)) : [],
    neither: knows() ? neither : [],
    referrals: {
      visitors: knows() ? referrals.visitors : 0,
      sites: knows('referrer') ? referrals.sites.filter(row => isSite(row, filter)) : [],
      pages: referred ? referrals.pages.filter(row => isSite(row, filter) && isBelow(row, filter)) : [],
    },
    loaded: knows() ? loaded : 0,
    failed: { missing: filterFailed(failed.missing, filter), broken: filterFailed(failed.broken, filter) },
  }
}

function filterAgentPages(
  { coverage, assistantPages }: VisitReport,
  filter: ReportFilter,
): Pick<VisitReport, 'coverage' | 'assistantPages'> {
  const agents = hasOnly(filter, ['agent', 'class']) ? coverage.agents.filter(row => isAgent(row, filter)) : []
  const pages = hasOnly(filter, ['path', 'referrer'])
    ? assistantPages.filter(row => isSite(row, filter) && isBelow(row, filter))
    : []
  return { coverage: { ...coverage, agents }, assistantPages: pages }
}

/** Returns whether all filters that are set are among `names`. A list without a column for a filter shows nothing. */
function hasOnly(filter: ReportFilter, names: readonly FilterName[]): boolean {
  return Object.entries(filter).every(([name, value]) => value === undefined || names.includes(name as FilterName))
}

/** Keeps the pages of the agents or of the site, with only them. */
function filterFailed(failed: FailedPages, filter: ReportFilter): FailedPages {
  const { agent, class: use, referrer } = filter
  const ofAgents = agent !== undefined || use !== undefined
  const pages = failed.pages.flatMap(page => {
    if (!isBelow(page, filter) || (ofAgents && referrer !== undefined)) return []
    if (!ofAgents && referrer === undefined) return [page]
    const agents = ofAgents ? page.agents.filter(row => isAgent(row, filter)) : []
    const sites = ofAgents ? [] : page.sites.filter(({ site }) => site === referrer)
    // A visitor has one agent, but people may come from several sites; here it is one.
    const count = (rows: readonly { visitors: number }[]) => rows.reduce((sum, { visitors }) => sum + visitors, 0)
    return agents.length + sites.length === 0
      ? []
      : [{ ...page, agents, sites, ai: count(agents), human: count(sites) }]
  })
  return { ...failed, pages: pages.sort((a, b) => b.human + b.ai - a.human - a.ai) }
}

export function isBelow({ path }: { path: string }, { path: prefix = '' }: ReportFilter): boolean {
  return path.startsWith(prefix)
}

function isSite({ site }: { site: string }, { referrer }: ReportFilter): boolean {
  return referrer === undefined || site === referrer
}

function isAgent({ agent, use }: { agent: string; use: AgentUse }, filter: ReportFilter): boolean {
  if (filter.class !== undefined && use !== filter.class) return false
  return filter.agent === undefined || agent.toLowerCase() === filter.agent.toLowerCase()
}

const columnsOf: Record<FilterName, readonly string[]> = {
  path: ['path'],
  agent: ['agent', 'from'],
  class: ['use'],
  referrer: ['site', 'from'],
}

/** Returns the name of a filter that a table has no column for; undefined = it has all. */
export function findForeignFilter(columns: readonly string[], filter: ReportFilter): FilterName | undefined {
  const names = (Object.keys(columnsOf) as FilterName[]).filter(name => filter[name] !== undefined)
  return names.find(name => !columnsOf[name].some(column => columns.includes(column)))
}

/** Keeps the rows of a table that match a filter. */
export async function* filterRows(
  columns: readonly string[],
  parts: AsyncIterable<Rows> | Iterable<Rows>,
  filter: ReportFilter,
): AsyncGenerator<Rows> {
  const tests = (Object.keys(columnsOf) as FilterName[]).flatMap(name => {
    const wanted = filter[name]?.toLowerCase()
    if (wanted === undefined) return []
    const at = columns.findIndex(column => columnsOf[name].includes(column))
    if (name === 'path') return [(row: readonly Cell[]) => String(row[at]).startsWith(filter.path ?? '')]
    return [(row: readonly Cell[]) => String(row[at]).toLowerCase() === wanted]
  })
  for await (const rows of parts) yield Array.from(rows).filter(row => tests.every(test => test(row)))
}
