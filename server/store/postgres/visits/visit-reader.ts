import { AgentPageCounter, findReadFrom, PageReaders } from '../../../analytics/counters/agent-pages.ts'
import { decodeSite } from '../../../analytics/counters/cell-block.ts'
import type { DaySpan } from '../../../analytics/counters/range-plan.ts'
import { addSite, RangeSum } from '../../../analytics/counters/range-sum.ts'
import { isMatchedLabel, toMatchedTotals } from '../../../analytics/report/choose-labels.ts'
import type { CountsAtRevision, DayRange, PageVisitors, VisitorCounts } from '../../../analytics/unique-visitors.ts'
import type { AgentPages, RangeCounts, VisitCountReader } from '../../../analytics/visit-counts.ts'
import { isOnlyPage, type LabelChoice } from '../../../analytics/visit-filter.ts'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { divide } from '../../../base/divide.ts'
import {
  nameColumns,
  noCounts,
  noPages,
  noVisitors,
  type RankedPages,
  takeWindow,
  toRankedPages,
  type Window,
} from '../../visits/visit-reader.ts'
import {
  nameCounts,
  noAgentPages,
  nobody,
  noReport,
  type RankedSum,
  rankSum,
  toRangeCounts,
  uniteSpans,
} from '../../visits/visit-reports.ts'
import { noRevision } from '../../visits/visit-revision.ts'
import { toSpan, toVisitedDays } from '../../visits/visited-days.ts'
import type { Database } from '../database.ts'
import { listDestroyed } from './period-keys.ts'
import {
  addAgentLabels,
  countLabels,
  findLabelledDays,
  type LabelQuestion,
  listAgentVisitors,
  readChosenLabels,
} from './seen-labels.ts'
import { listRowsOf } from './seen-rows.ts'
import { findCountedDays, readBlocks } from './visit-counters.ts'
import { findPage, findPages, KnownPages, listPagesContaining, pathsOf, type ReadPages } from './visit-pages.ts'
import { findVisited, readAtOnce, type VisitedProject } from './visited-projects.ts'

/** Projects whose pages are kept. A page takes about 30 bytes. */
const maxKnown = 32
/** Each visitor has a row of at most 900 bytes for each of some days. */
const visitorsPerStatement = 200

/** Reads counts. Each method reads everything at the same instant while an import writes. */
export function openVisitReader(database: Database) {
  const read = createQueue(database)
  return { ...openPageReader(database, read), ...openReportReader(database, read) }
}

function openPageReader(database: Database, read: ReadVisits) {
  return {
    findRevision: async (projectId: string) => (await findVisited(database, projectId))?.revision ?? noRevision,
    async countAtRevision(projectId: string, range: DayRange, window: Window): Promise<CountsAtRevision> {
      const found = await read(projectId, async (within, project, known) => {
        const { key, revision } = project
        const counted = await rank(within, project, known, range)
        if (!counted) return { ...noVisitors, revision }
        const { numbers, ...counts } = takeWindow(counted, window)
        return {
          revision,
          ...counts,
          visitors: nameCounts(await pathsOf(within, key, numbers), numbers, counted.sum),
        }
      })
      return found ?? noCounts
    },
    async rankPages(projectId: string, range: DayRange): Promise<RankedPages> {
      const found = await read(projectId, async (within, project, known) => ({
        ...toRankedPages(await rank(within, project, known, range)),
        revision: project.revision,
      }))
      return found ?? noPages
    },
    /** Lists the pages from `from` to `to` (exclusive) with their paths. */
    async nameAll(projectId: string, { pages }: RankedPages, from: number, to: number): Promise<PageVisitors[]> {
      if (from >= pages.numbers.length) return []
      const project = await findVisited(database, projectId)
      if (!project) throw new Error(`The visits of ${projectId} were deleted.`)
      return nameColumns(await pathsOf(database, project.key, pages.numbers.subarray(from, to)), pages, from)
    },
  }
}

function openReportReader(database: Database, read: ReadVisits): VisitCountReader {
  return {
    findVisitedDays: projectId =>
      read(projectId, async (within, { key, labelledFrom, keptFrom }) => {
        const destroyed = await within.all(listDestroyed, { project: key })
        return toVisitedDays(await findCountedDays(within, key), await findLabelledDays(within, key), {
          labelledFrom: labelledFrom ?? undefined,
          prunedBefore: keptFrom === 0 ? undefined : keptFrom,
          readFrom: findReadFrom(keptFrom, destroyed) || undefined,
        })
      }),
    async countRange(projectId, range) {
      const found = await read(projectId, async (within, project, known): Promise<RangeCounts> => {
        const counted = await rank(within, project, known, range)
        const paths = {
          pathsOf: (pages: Uint32Array) => pathsOf(database, project.key, pages),
          findAll: (paths: readonly string[]) => findPages(database, project.key, paths),
          listContaining: (text: string) => listPagesContaining(database, project.key, text),
        }
        return counted ? toRangeCounts(counted, paths) : noReport
      })
      return found ?? noReport
    },
    async countLabels(projectId, range, choice) {
      const found = await read(projectId, (within, { key }) => countChosen(within, key, [range], choice))
      return found?.[0] ?? new Map()
    },
    async readAgentPages(projectId, range, filter) {
      const found = await read(projectId, async (within, { key, keptFrom }, known): Promise<AgentPages> => {
        const span = toDays(range)
        const counter = new AgentPageCounter((await known.readDirectory(within)).size)
        const chosen = await readChosenLabels(within, key, { filter })
        await addAgentLabels(counter, within, { project: key, span, chosen })
        for await (const [visitor, rows] of readVisitors(within, key, counter.listVisitors(), span)) {
          counter.addRows(visitor, rows, span)
        }
        const readFrom = findReadFrom(keptFrom, await within.all(listDestroyed, { project: key }))
        return { ...counter.finish(), readFrom, pathsOf: pages => pathsOf(database, key, pages) }
      })
      return found ?? noAgentPages
    },
    async countTotals(projectId, ranges, filter) {
      const found = await read(projectId, async (within, { key }, known) => {
        if (filter && isOnlyPage(filter)) return sumPage(within, key, { path: filter.page, ranges, known })
        if (filter) {
          const choice = { filter, isWanted: isMatchedLabel }
          return (await countChosen(within, key, ranges, choice)).map(toMatchedTotals)
        }
        const totals: VisitorCounts[] = []
        for (const range of ranges) totals.push(await sumSite(within, key, toDays(range)))
        return totals
      })
      return found ?? ranges.map(() => nobody)
    },
  }
}

/** Counts the visitors of the chosen labels in each range. */
async function countChosen(
  within: Database,
  project: number,
  ranges: readonly DayRange[],
  choice: LabelChoice = {},
): Promise<Map<string, number>[]> {
  const chosen = await readChosenLabels(within, project, choice)
  const spans = ranges.map(toDays)
  const readersOf = await findReaders(within, choice.filter?.page, { project, span: uniteSpans(spans), chosen })
  const counts: Map<string, number>[] = []
  for (const span of spans) counts.push(await countLabels(within, { project, span, chosen }, readersOf))
  return counts
}

/** Finds who read the page of a filter as AI in a range; undefined = the filter does not ask for it. */
async function findReaders(within: Database, page: string | undefined, question: LabelQuestion) {
  const { project, span, chosen } = question
  if (page === undefined || chosen.agents.size === 0) return undefined
  const index = await findPage(within, project, page)
  if (index === undefined) return undefined
  const readers = new PageReaders(index, span)
  const visitors = await listAgentVisitors(within, question)
  for await (const [visitor, rows] of readVisitors(within, project, visitors, span)) readers.addRows(visitor, rows)
  return readers.byDay
}

/** Reads the rows of visitors that begin before the end of a span. */
async function* readVisitors(within: Database, project: number, all: Iterable<number>, { to }: DaySpan) {
  for (const visitors of divide([...all], visitorsPerStatement)) {
    const rows = await listRowsOf(within, project, visitors, to)
    for (const [i, visitor] of visitors.entries()) yield [visitor, rows[i] ?? []] as const
  }
}

/** Returns the visitors of a page in each range. */
async function sumPage(
  within: Database,
  project: number,
  { path, ranges, known }: { path: string; ranges: readonly DayRange[]; known: KnownPages },
): Promise<VisitorCounts[]> {
  const index = await findPage(within, project, path)
  const counts: VisitorCounts[] = []
  for (const range of ranges) {
    const sum =
      index === undefined ? undefined : await sumRange(within, project, toDays(range), await known.read(within))
    counts.push(sum?.countsOf(index as number) ?? nobody)
  }
  return counts
}

/** Returns undefined if there are no visits at all. */
async function rank(
  within: Database,
  project: VisitedProject,
  known: KnownPages,
  range: DayRange,
): Promise<RankedSum | undefined> {
  const pages = await known.read(within)
  const sum = await sumRange(within, project.key, toDays(range), pages)
  return sum && rankSum(sum, pages.ranks)
}

/** Days of a column. */
const [firstDay, lastDay] = [0, 2 ** 31 - 1]

function toDays(range: DayRange): DaySpan {
  const { from, to } = toSpan(range)
  return { from: Math.max(from, firstDay), to: Math.min(to, lastDay) }
}

type ReadVisits = <T>(
  projectId: string,
  work: (within: Database, project: VisitedProject, known: KnownPages) => Promise<T>,
) => Promise<T | undefined>

/**
 * Runs reads of a project one after the other, because they share its known pages. A later read sees what an earlier one saw. Returns
 * undefined if the project has no visits.
 */
function createQueue(database: Database): ReadVisits {
  const pages = new BoundedCache<number, KnownPages>(maxKnown)
  const last = new Map<string, Promise<unknown>>()
  return async (projectId, work) => {
    const before = last.get(projectId)
    const running = (async () => {
      await before?.catch(() => {})
      return readAtOnce(database, async within => {
        const project = await findVisited(within, projectId)
        if (!project) return undefined
        const known = pages.get(project.key) ?? new KnownPages(project.key)
        pages.set(project.key, known)
        return work(within, project, known)
      })
    })()
    last.set(projectId, running)
    try {
      return await running
    } finally {
      if (last.get(projectId) === running) last.delete(projectId)
    }
  }
}

async function sumRange(
  within: Database,
  project: number,
  span: DaySpan,
  { directory }: ReadPages,
): Promise<RangeSum | undefined> {
  const visited = await findCountedDays(within, project)
  if (!visited) return undefined
  const sum = new RangeSum(Math.max(span.from, visited.first), directory)
  for await (const block of readBlocks(within, project, span, visited)) sum.add(block)
  return sum
}

/** Returns the visitors of the whole site. */
async function sumSite(within: Database, project: number, span: DaySpan): Promise<VisitorCounts> {
  const total = { human: 0, ai: 0, total: 0 }
  const visited = await findCountedDays(within, project)
  if (!visited) return total
  const from = Math.max(span.from, visited.first)
  for await (const block of readBlocks(within, project, span, visited)) addSite(decodeSite(block), from, total)
  return total
}
