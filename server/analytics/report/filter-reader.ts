import { parseLabel } from '../labels.ts'
import type { DayRange, PageVisitors, VisitorCounts } from '../unique-visitors.ts'
import type { AgentPages, PageOrder, RangeCounts, VisitCountReader } from '../visit-counts.ts'
import { hasFilter, type VisitFilter } from '../visit-filter.ts'
import { compareTexts } from './failed-report.ts'

/**
 * Returns a reader of the visits that a filter chooses. All its counts are exact. Of people who came from an assistant, the pages are
 * those that they came to; of agents, those that they read.
 */
export function filterReader(reader: VisitCountReader, filter: VisitFilter | undefined): VisitCountReader {
  if (!filter || !hasFilter(filter)) return reader
  return {
    unfiltered: reader,
    findVisitedDays: projectId => reader.findVisitedDays(projectId),
    countTotals: (projectId, ranges) => reader.countTotals(projectId, ranges, filter),
    countLabels: (projectId, range, choice) => reader.countLabels(projectId, range, { ...choice, filter }),
    readAgentPages: async (projectId, range) =>
      keepPage(await reader.readAgentPages(projectId, range, filter), filter.page),
    countRange: async (projectId, range) => toRangeCounts(await listPages(reader, { projectId, range, filter })),
  }
}

async function listPages(
  reader: VisitCountReader,
  { projectId, range, filter }: { projectId: string; range: DayRange; filter: VisitFilter },
): Promise<PageVisitors[]> {
  const { page, ...others } = filter
  if (page !== undefined) {
    const [totals] = await reader.countTotals(projectId, [range], filter)
    return totals && totals.total > 0 ? [{ path: page, ...totals }] : []
  }
  const pages = new Map<string, PageVisitors>()
  const add = (path: string, kind: 'human' | 'ai', visitors: number) => {
    const known = pages.get(path) ?? { path, human: 0, ai: 0, total: 0 }
    pages.set(path, { ...known, [kind]: known[kind] + visitors, total: known.total + visitors })
  }
  const { all, pathsOf } = await reader.readAgentPages(projectId, range, others)
  for (const [i, path] of (await pathsOf(all.pages)).entries()) add(path, 'ai', all.visitors[i] ?? 0)
  for (const [text, visitors] of await reader.countLabels(projectId, range, { filter: others, isWanted: isReferral })) {
    const label = parseLabel(text)
    if (label?.type === 'referral' && label.path !== undefined) add(label.path, 'human', visitors)
  }
  return [...pages.values()].sort((a, b) => b.total - a.total || compareTexts(a.path, b.path))
}

function isReferral(label: string): boolean {
  return parseLabel(label)?.type === 'referral'
}

/** Keeps what agents read of one page. */
async function keepPage(read: AgentPages, page: string | undefined): Promise<AgentPages> {
  if (page === undefined) return read
  const paths = await read.pathsOf(read.all.pages)
  const at = read.all.pages[paths.indexOf(page)]
  const keep = ({ pages, visitors }: AgentPages['all']) => {
    const i = at === undefined ? -1 : pages.indexOf(at)
    return { pages: pages.slice(i, i === -1 ? i : i + 1), visitors: visitors.slice(i, i === -1 ? i : i + 1) }
  }
  const agents = Array.from(read.agents, ([agent, readings]) => [agent, keep(readings)] as const)
  return { ...read, all: keep(read.all), agents: new Map(agents.filter(([, { pages }]) => pages.length > 0)) }
}

const nobody: VisitorCounts = { human: 0, ai: 0, total: 0 }

function toRangeCounts(pages: PageVisitors[]): RangeCounts {
  const found = new Map(pages.map(({ path, ...counts }) => [path, counts]))
  return {
    pageCount: pages.length,
    listPages: (from, to) => pages.slice(from, to),
    countsOf: paths => paths.map(path => found.get(path) ?? nobody),
    async selectPages({ order, contains, limit, offset }, before) {
      const old = new Map((await before?.listPages(0, before.pageCount))?.map(({ path, total }) => [path, total]))
      const lost = [...old.keys()].filter(path => !found.has(path)).map(path => ({ path, ...nobody }))
      const differenceOf = ({ path, total }: PageVisitors) => total - (old.get(path) ?? 0)
      const sizeOf: Record<PageOrder, (page: PageVisitors) => number> = {
        total: ({ total }) => total,
        human: ({ human }) => human,
        ai: ({ ai }) => ai,
        path: () => 0,
        gain: differenceOf,
        loss: page => -differenceOf(page),
      }
      const matching = [...pages, ...lost]
        .filter(({ path }) => path.toLowerCase().includes(contains.toLowerCase()))
        .sort((a, b) => sizeOf[order](b) - sizeOf[order](a) || compareTexts(a.path, b.path))
      return { pages: matching.slice(offset, offset + limit), matching: matching.length }
    },
  }
}
