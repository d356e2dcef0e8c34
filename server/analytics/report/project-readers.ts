import { toAgentKey } from '../agents/agent-use.ts'
import type { Day } from '../day.ts'
import type { DayRange, VisitorCounts } from '../unique-visitors.ts'
import type { RangeCounts, VisitCountReader } from '../visit-counts.ts'
import type { FailedReport } from './failed-report.ts'
import { splitRange } from './periods.ts'
import {
  findPrunedBefore,
  type LabelReport,
  readLabels,
  readReport,
  toDayRange,
  type VisitReport,
} from './visit-report.ts'

/** The readers of a project in the last 30 days, and how they changed. */
export interface ProjectReaders extends Pick<VisitReport, 'totals' | 'series'> {
  /** Null = there are no visits at all. */
  visited: { first: Day; last: Day } | null
  today: VisitorCounts
  /** The 30 days before. `isWhole` if there were visits before their first day or on it. */
  before: { totals: VisitorCounts; periods: VisitorCounts[]; isWhole: boolean }
  /** Set if visitors of a part of either 30 days were pruned: those who came before and after this date count twice there. */
  prunedBefore: string | null
  /** The pages whose visitors changed most, and by how many. */
  rose: PageChange[]
  fell: PageChange[]
  /** Agents that came only in the last 30 days, and those that came only before. */
  came: LabelReport['agents']
  stopped: LabelReport['agents']
  /** Pages that failed in the last 7 days. */
  failed: FailedReport
}

export interface PageChange {
  path: string
  now: number
  before: number
}

const days = 30
const failedDays = 7
const maxRows = 5
/** The pages of each range whose changes are compared. */
const maxPages = 1000

/** @param today the current UTC day */
export async function readProjectReaders(
  reader: VisitCountReader,
  projectId: string,
  today: Day,
): Promise<ProjectReaders> {
  const range = { dateFrom: today + 1 - days, dateTo: today + 1 }
  const earlier = { dateFrom: range.dateFrom - days, dateTo: range.dateFrom }
  const { report, counts, visited } = await readReport(reader, {
    projectId,
    range,
    list: 'pages',
    choosePeriodLength: () => 'day',
  })
  const before = { from: earlier.dateFrom, to: earlier.dateTo }
  const split = splitRange(before, 'day').map(toDayRange)
  const asked = [{ dateFrom: today, dateTo: today + 1 }, earlier, ...split]
  const [now = nobody, totals = nobody, ...periods] = await reader.countTotals(projectId, asked)
  const isWhole = visited !== undefined && visited.first <= earlier.dateFrom
  const changes = isWhole ? await listChanges(counts, await reader.countRange(projectId, earlier)) : []
  const list = (days: DayRange, list: 'agents' | 'failures') => readLabels(reader, { projectId, days, list })
  const [agents, agentsBefore] = [await list(range, 'agents'), await list(earlier, 'agents')]
  return {
    visited: visited ? { first: visited.first, last: visited.last } : null,
    totals: report.totals,
    series: report.series,
    today: now,
    before: { totals, periods, isWhole },
    prunedBefore: report.prunedBefore ?? findPrunedBefore(before, visited),
    rose: changes.filter(({ now, before }) => now > before).slice(0, maxRows),
    fell: changes.filter(({ now, before }) => now < before).slice(0, maxRows),
    came: isWhole ? listMissing(agents, agentsBefore) : [],
    stopped: listMissing(agentsBefore, agents),
    failed: (await list({ ...range, dateFrom: today + 1 - failedDays }, 'failures')).failed,
  }
}

const nobody: VisitorCounts = { human: 0, ai: 0, total: 0 }

/** Lists the pages by their change, the largest first. Changes that a page beyond `maxPages` may exceed are left out. */
async function listChanges(now: RangeCounts, before: RangeCounts): Promise<PageChange[]> {
  const [most, mostBefore] = [await now.listPages(0, maxPages), await before.listPages(0, maxPages)]
  const paths = [...new Set([...most, ...mostBefore].map(({ path }) => path))]
  const [counts, old] = [await now.countsOf(paths), await before.countsOf(paths)]
  const leastOf = (pages: typeof most) => (pages.length < maxPages ? 0 : (pages.at(-1)?.total ?? 0))
  const least = Math.max(leastOf(most), leastOf(mostBefore))
  return paths
    .map((path, i) => ({ path, now: counts[i]?.total ?? 0, before: old[i]?.total ?? 0 }))
    .filter(page => sizeOf(page) >= least)
    .sort((a, b) => sizeOf(b) - sizeOf(a))
}

function sizeOf({ now, before }: PageChange): number {
  return Math.abs(now - before)
}

/** Lists the agents that another range does not have, by visitors. */
function listMissing({ agents }: LabelReport, other: LabelReport): LabelReport['agents'] {
  const known = new Set(other.agents.map(({ agent, use }) => toAgentKey(agent, use)))
  return agents.filter(({ agent, use }) => !known.has(toAgentKey(agent, use))).slice(0, maxRows)
}
