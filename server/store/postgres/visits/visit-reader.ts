import type { DaySpan } from '../../../analytics/counters/range-plan.ts'
import { addSite, RangeSum } from '../../../analytics/counters/range-sum.ts'
import type { CountsAtRevision, DayRange, PageVisitors, VisitorCounts } from '../../../analytics/unique-visitors.ts'
import type { PageSelection, RangeCounts, SelectedPages, VisitCountReader } from '../../../analytics/visit-counts.ts'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { noCounts, noPages, noVisitors, type RankedPages } from '../../visits/visit-reader.ts'
import { noReport, toSpan } from '../../visits/visit-reports.ts'
import { noRevision } from '../../visits/visit-revision.ts'
import type { Database } from '../database.ts'
import { countLabels, findLabelledDays } from './seen-labels.ts'
import { findCountedDays, readBlocks } from './visit-counters.ts'
import { KnownPages, listPagesContaining, pathsOf, type ReadPages } from './visit-pages.ts'
import { findVisited, readAtOnce, type VisitedProject } from './visited-projects.ts'

/** Projects whose pages are kept. A page takes about 30 bytes. */
const maxKnown = 32

export type VisitReader = ReturnType<typeof openVisitReader>

/** Reads counts. Each method reads everything at the same instant while an import writes. */
export function openVisitReader(database: Database) {
  const read = createQueue(database)
  return { ...openPageReader(database, read), ...openReportReader(database, read) }
}

function openPageReader(database: Database, read: ReadVisits) {
  return {
    findRevision: async (projectId: string) => (await findVisited(database, projectId))?.revision ?? noRevision,
    async countAtRevision(
      projectId: string,
      range: DayRange,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<CountsAtRevision> {
      const found = await read(projectId, async (within, project, known) => {
        const { sum, ranked } = (await rank(within, project, known, range)) ?? {}
        if (!sum || !ranked) return { ...noVisitors, revision: project.revision }
        const window = ranked.subarray(offset, offset + limit)
        return {
          revision: project.revision,
          totals: sum.site,
          visitors: await namePages(within, project.key, window, page => sum.countsOf(page)),
          hasMore: window.length > 0 && ranked.length > offset + limit,
        }
      })
      return found ?? noCounts
    },
    async rankPages(projectId: string, range: DayRange): Promise<RankedPages> {
      const found = await read(projectId, async (within, project, known): Promise<RankedPages> => {
        const { sum, ranked } = (await rank(within, project, known, range)) ?? {}
        if (!sum || !ranked) return { ...noPages, revision: project.revision }
        return { revision: project.revision, totals: sum.site, pages: sum.columnsOf(ranked) }
      })
      return found ?? noPages
    },
    /** Lists the pages from `from` to `to` (exclusive) with their paths. */
    async nameAll(projectId: string, { pages }: RankedPages, from: number, to: number): Promise<PageVisitors[]> {
      const { numbers, human, ai, total } = pages
      if (from >= numbers.length) return []
      const project = await findVisited(database, projectId)
      if (!project) throw new Error(`The visits of ${projectId} were deleted.`)
      const paths = await pathsOf(database, project.key, numbers.subarray(from, to))
      return paths.map((path, i) => ({
        path,
        human: human[from + i] as number,
        ai: ai[from + i] as number,
        total: total[from + i] as number,
      }))
    },
  }
}

function openReportReader(database: Database, read: ReadVisits): VisitCountReader {
  return {
    findVisitedDays: projectId =>
      read(projectId, async (within, { key, labelledFrom, keptFrom }) => {
        const counted = await findCountedDays(within, key)
        const labelled = await findLabelledDays(within, key)
        const found = [counted, labelled].filter(days => days !== undefined)
        if (found.length === 0) return undefined
        return {
          first: Math.min(...found.map(({ first }) => first)),
          last: Math.max(...found.map(({ last }) => last)),
          labelledFrom: labelledFrom ?? undefined,
          prunedBefore: keptFrom === 0 ? undefined : keptFrom,
        }
      }),
    async countRange(projectId, range) {
      const found = await read(projectId, async (within, project, known): Promise<RangeCounts> => {
        const labels = await countLabels(within, project.key, toDays(range))
        const counted = await rank(within, project, known, range)
        return counted ? { ...openRange(database, project.key, counted), labels } : { ...noReport, labels }
      })
      return found ?? noReport
    },
    async countTotals(projectId, ranges) {
      const found = await read(projectId, async (within, { key }) => {
        const totals: VisitorCounts[] = []
        for (const range of ranges) totals.push(await sumSite(within, key, toDays(range)))
        return totals
      })
      return found ?? ranges.map(() => noReport.totals)
    },
  }
}

/** Returns undefined if there are no visits at all. */
async function rank(
  within: Database,
  project: VisitedProject,
  known: KnownPages,
  range: DayRange,
): Promise<Counted | undefined> {
  const pages = await known.read(within)
  const sum = await sumRange(within, project.key, toDays(range), pages)
  return sum && { sum, pages, ranked: sum.rank(pages.ranks.ofPage, pages.ranks.pages) }
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
  for await (const block of readBlocks(within, project, span, visited)) addSite(block, from, total)
  return total
}

interface Counted {
  sum: RangeSum
  pages: ReadPages
  ranked: Uint32Array
}

/** The paths are read after the transaction of the counts: the path of a number never changes. */
function openRange(
  database: Database,
  project: number,
  { sum, pages: { ranks }, ranked }: Counted,
): Omit<RangeCounts, 'labels'> {
  const countsOf = (page: number) => sum.countsOf(page)
  const orderPages = (order: PageSelection['order']) => {
    if (order === 'total') return ranked
    return order === 'path' ? sum.keepVisited(ranks.pages) : sum.rank(ranks.ofPage, ranks.pages, order)
  }
  return {
    totals: sum.site,
    pageCount: ranked.length,
    listPages: (from, to) => namePages(database, project, ranked.subarray(from, to), countsOf),
    async selectPages({ order, contains, limit, offset }): Promise<SelectedPages> {
      const ordered = orderPages(order)
      const kept = contains === '' ? undefined : await listPagesContaining(database, project, contains)
      const matching = kept ? ordered.filter(page => kept.has(page)) : ordered
      const window = matching.subarray(offset, offset + limit)
      return { pages: await namePages(database, project, window, countsOf), matching: matching.length }
    },
  }
}

async function namePages(
  database: Database,
  project: number,
  pages: Uint32Array,
  countsOf: (page: number) => VisitorCounts,
): Promise<PageVisitors[]> {
  const paths = await pathsOf(database, project, pages)
  return paths.map((path, i) => ({ path, ...countsOf(pages[i] as number) }))
}
