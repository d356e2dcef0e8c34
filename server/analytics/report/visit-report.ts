import { type AgentUse, agentUses } from '../agents/agent-list.ts'
import { parseAgentKey } from '../agents/agent-use.ts'
import { findAssistantSite } from '../assistant-sites.ts'
import { type Day, formatDay } from '../day.ts'
import { type LabelledKind, parseLabel } from '../labels.ts'
import type { DayRange, PageVisitors, VisitorCounts } from '../unique-visitors.ts'
import {
  type AgentPages,
  type RangeCounts,
  readPages,
  type VisitCountReader,
  type VisitedDays,
} from '../visit-counts.ts'
import { type AssistantPage, type Coverage, reportAssistantPages, reportCoverage } from './agent-pages.ts'
import { compareTexts, FailedCollector, type FailedReport } from './failed-report.ts'
import { type Period, type PeriodLength, splitRange } from './periods.ts'

/** Everything that is counted in a range. All counts are distinct visitors of the range, except those of the series. */
export interface VisitReport {
  /** First day, and the day after the last, as dates. They are within the days with visits; null = no visits in the range. */
  dateFrom: string | null
  dateTo: string | null
  totals: TotalVisitors
  series: VisitSeries
  /** See `RangeCounts.listPages`. */
  pages: PageVisitors[]
  /** Number of all pages with visitors. */
  pageCount: number
  labels: LabelReport
  coverage: Coverage
  assistantPages: AssistantPage[]
  /** Set if `coverage` and `assistantPages` know only what AI read from this date on. */
  readFrom: string | null
  /**
   * The first date whose visits all have labels; null = all visits of the range have them. The agents, programs, files and
   * referrals of earlier days are missing if they were counted by an earlier version of Quire.
   */
  labelledFrom: string | null
  /**
   * Set if the visitors of the range before this date were pruned: those who came before and after it count twice. Null = the
   * totals are exact.
   */
  prunedBefore: string | null
}

export interface TotalVisitors extends VisitorCounts {
  /** Visitors who were human on one view and AI on another. `human` + `ai` - `both` = `total`. */
  both: number
}

/** Visitors of each period. A visitor counts once in each, so the periods may add up to more than the range. */
export interface VisitSeries {
  by: PeriodLength
  periods: (TotalVisitors & { dateFrom: string; dateTo: string })[]
}

/** The visitors of the labels, each list sorted by visitors in descending order, then by name. */
export interface LabelReport {
  agents: { agent: string; use: AgentUse; visitors: number }[]
  /** Each visitor counts once in a use, also with several agents. */
  uses: { use: AgentUse; agents: number; visitors: number }[]
  /** Programs that are neither people nor AI. They are not part of the totals. */
  neither: { rule: string; visitors: number }[]
  /** Markdown views of pages, and llms.txt, by kind of visitor. */
  files: ({ file: string } & Record<LabelledKind, number>)[]
  /** AI agents that read a file for AI. */
  readers: { file: string; agent: string; use: AgentUse; visitors: number }[]
  referrals: Referrals
  /** People whose browser loaded a part of a page, see `loadedLabel`. 0 = the log has no such lines. */
  loaded: number
  failed: FailedReport
}

/** People who followed a link in an AI assistant. */
export interface Referrals {
  /** From any assistant. */
  visitors: number
  sites: { site: string; assistant: string; visitors: number }[]
  pages: { path: string; site: string; visitors: number }[]
}

export interface ReportOptions {
  projectId: string
  range: DayRange
  /** Default: by the length of the range. */
  by?: PeriodLength | undefined
  /** Number of pages. */
  limit: number
  choosePeriodLength(range: Period): PeriodLength
  /** Reads only this list, and leaves the others empty. Default: all. */
  list?: ReportList | undefined
  /** Reads what agents read even if that takes long. It is always read with all lists. */
  hasCoverage?: boolean | undefined
}

/** The lists of a report; each needs other counts. */
export const reportLists = ['pages', 'agents', 'referrers', 'failures'] as const
export type ReportList = (typeof reportLists)[number]

/** Reads the counts of a range. */
export async function buildReport(reader: VisitCountReader, options: ReportOptions): Promise<VisitReport> {
  const { report, counts } = await readReport(reader, options)
  for await (const part of readPages(counts)) {
    report.pages.push(...part.slice(0, options.limit - report.pages.length))
    if (report.pages.length >= options.limit) break
  }
  return report
}

/** Takes about 0.1 s to read what so many AI visitors read. */
const maxQuickAgents = 2000

const labelsOf: Record<ReportList, (label: string) => boolean> = {
  pages: () => false,
  agents: label => !/^(from|failed):/.test(label),
  // The pages are those of the filter for a site.
  referrers: label => /^from:[^/]*$/.test(label),
  failures: label => label.startsWith('failed:'),
}

/** Reads the labels of a list; undefined = of all lists. */
export async function readLabels(
  reader: VisitCountReader,
  { projectId, days, list }: { projectId: string; days: DayRange; list: ReportList | undefined },
): Promise<LabelReport> {
  if (list === 'pages') return reportLabels([])
  return reportLabels(await reader.countLabels(projectId, days, { isWanted: list && labelsOf[list] }))
}

const noPages: RangeCounts = {
  pageCount: 0,
  listPages: () => [],
  countsOf: () => [],
  selectPages: () => ({ pages: [], matching: 0 }),
}
const noAgentPages: AgentPages = {
  agents: new Map(),
  all: { pages: new Uint32Array(), visitors: new Uint32Array() },
  readFrom: 0,
  pathsOf: () => [],
}

/** Reads the counts of a range, and returns them with a report that has no pages yet. */
export async function readReport(
  reader: VisitCountReader,
  { projectId, choosePeriodLength, list, hasCoverage, ...options }: Omit<ReportOptions, 'limit'>,
): Promise<{ report: VisitReport; counts: RangeCounts; visited: VisitedDays | undefined }> {
  const visited = await reader.findVisitedDays(projectId)
  const range = cutRange(options.range, visited)
  const days = toDayRange(range)
  const wants = (name: ReportList) => list === undefined || list === name
  const counts = wants('pages') ? await reader.countRange(projectId, days) : noPages
  const by = options.by ?? choosePeriodLength(range)
  const { totals, series } = await countSeries(reader, projectId, range, by)
  const hasRead = wants('agents') && (list === undefined || hasCoverage || totals.ai <= maxQuickAgents)
  const read = hasRead ? await reader.readAgentPages(projectId, days) : noAgentPages
  const labels = await readLabels(reader, { projectId, days, list })
  const { labelledFrom, readFrom = read.readFrom } = visited ?? {}
  const asksLabels = labelledFrom !== undefined && labelledFrom > range.from && totals.ai > 0
  const agents = asksLabels && !wants('agents') ? await readLabels(reader, { projectId, days, list: 'agents' }) : labels
  const isLabelled = labelledFrom === undefined || labelledFrom <= range.from || hasAllLabels(totals, agents)
  const isEmpty = range.from >= range.to
  const { unfiltered } = reader
  const site = hasRead && (unfiltered || list) ? await (unfiltered ?? reader).countRange(projectId, days) : counts
  const report: VisitReport = {
    dateFrom: isEmpty ? null : formatDay(range.from),
    dateTo: isEmpty ? null : formatDay(range.to),
    totals,
    series,
    pages: [],
    pageCount: counts.pageCount,
    labels,
    coverage: reportCoverage(read, site.pageCount),
    assistantPages: await reportAssistantPages(read, labels.referrals.pages),
    readFrom: readFrom > range.from && !isEmpty ? formatDay(readFrom) : null,
    labelledFrom: isEmpty || isLabelled ? null : formatDay(labelledFrom),
    prunedBefore: findPrunedBefore(range, visited),
  }
  return { report, counts, visited }
}

/** Cuts a range to the days with visits. An empty range has `from` = `to`. */
export function cutRange({ dateFrom, dateTo }: DayRange, visited: { first: Day; last: Day } | undefined): Period {
  if (!visited) return { from: 0, to: 0 }
  const from = Math.max(dateFrom ?? visited.first, visited.first)
  return { from, to: Math.max(from, Math.min(dateTo ?? visited.last + 1, visited.last + 1)) }
}

/** Returns the date before which the visitors of a part of a range were pruned, see `VisitReport`; null = the range is exact. */
export function findPrunedBefore({ from, to }: Period, { prunedBefore = 0 }: Partial<VisitedDays> = {}): string | null {
  return prunedBefore > from && prunedBefore < to ? formatDay(prunedBefore) : null
}

export function toDayRange({ from, to }: Period): DayRange {
  return { dateFrom: from, dateTo: to }
}

export function withBoth({ human, ai, total }: VisitorCounts): TotalVisitors {
  return { human, ai, both: human + ai - total, total }
}

async function countSeries(
  reader: VisitCountReader,
  projectId: string,
  range: Period,
  by: PeriodLength,
): Promise<Pick<VisitReport, 'totals' | 'series'>> {
  const periods = splitRange(range, by)
  const [totals, ...counts] = await reader.countTotals(projectId, [range, ...periods].map(toDayRange))
  return {
    totals: withBoth(totals as VisitorCounts),
    series: {
      by,
      periods: periods.map(({ from, to }, i) => ({
        dateFrom: formatDay(from),
        dateTo: formatDay(to),
        ...withBoth(counts[i] as VisitorCounts),
      })),
    },
  }
}

/** Returns whether every AI visitor has the label of an agent. Then the visits were counted with labels. */
function hasAllLabels(totals: VisitorCounts, { agents }: LabelReport): boolean {
  return totals.ai > 0 && agents.reduce((sum, { visitors }) => sum + visitors, 0) >= totals.ai
}

/** Sorts the visitors of labels into lists. */
export function reportLabels(labels: Iterable<readonly [label: string, visitors: number]>): LabelReport {
  const failed = new FailedCollector()
  const report: Omit<LabelReport, 'failed'> = {
    agents: [],
    uses: [],
    neither: [],
    files: [],
    readers: [],
    referrals: { visitors: 0, sites: [], pages: [] },
    loaded: 0,
  }
  for (const [text, visitors] of labels) {
    const label = parseLabel(text)
    switch (label?.type) {
      case 'agent':
        report.agents.push({ ...parseAgentKey(label.agent), visitors })
        break
      case 'class':
        report.uses.push({ use: label.use as AgentUse, agents: 0, visitors })
        break
      case 'neither':
        report.neither.push({ rule: label.rule, visitors })
        break
      case 'file':
        addFile(report.files, label.file, label.kind, visitors)
        break
      case 'read':
        report.readers.push({ file: label.file, ...parseAgentKey(label.agent), visitors })
        break
      case 'failed':
        failed.add(label, visitors)
        break
      case 'loaded':
        report.loaded = visitors
        break
      case 'referral':
        addReferral(report.referrals, label, visitors)
        break
    }
  }
  sortBy(report.agents, ({ agent }) => agent)
  sortBy(report.neither, ({ rule }) => rule)
  report.files.sort((a, b) => compareTexts(a.file, b.file))
  sortBy(report.readers, ({ file, agent }) => `${file} ${agent}`)
  sortBy(report.referrals.sites, ({ site }) => site)
  sortBy(report.referrals.pages, ({ path, site }) => `${path} ${site}`)
  report.uses.sort((a, b) => agentUses.indexOf(a.use) - agentUses.indexOf(b.use))
  for (const row of report.uses) row.agents = report.agents.filter(({ use }) => use === row.use).length
  return { ...report, failed: failed.finish() }
}

function addFile(files: LabelReport['files'], file: string, kind: LabelledKind, visitors: number): void {
  let row = files.find(known => known.file === file)
  if (!row) {
    row = { file, human: 0, ai: 0, neither: 0 }
    files.push(row)
  }
  row[kind] = visitors
}

function addReferral(referrals: Referrals, { site, path }: { site?: string; path?: string }, visitors: number): void {
  if (site === undefined) referrals.visitors = visitors
  else if (path !== undefined) referrals.pages.push({ path, site, visitors })
  else referrals.sites.push({ site, assistant: findAssistantSite(site)?.assistant ?? site, visitors })
}

function sortBy<Row extends { visitors: number }>(rows: Row[], nameOf: (row: Row) => string): void {
  rows.sort((a, b) => b.visitors - a.visitors || compareTexts(nameOf(a), nameOf(b)))
}
