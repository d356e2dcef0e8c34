import { type Day, toDay } from '../../../server/analytics/day.ts'
import type { DayRange, PageVisitors, VisitorCounts, VisitorReader } from '../../../server/analytics/unique-visitors.ts'
import { csvHead, toCsvLine } from '../../../server/analytics/visitors-csv.ts'
import { createRandom, pickInteger, type Random } from './random.ts'

const days = 30
const visitors = 900
/** Visitors with a number below this are AI. */
const aiVisitors = 120
/** These are seen as AI and as human. */
const bothVisitors = 10
const sections = ['guides', 'api', 'reference', 'changelog', 'concepts', 'integrations']

interface Visit {
  day: Day
  visitor: number
}
interface VisitedPage {
  path: string
  visits: readonly Visit[]
}

/** Creates visitors of the last days before `now`, and counts them as the server does: each visitor once in a range. */
export function createVisits(pageCount: number, { seed, now }: { seed: string; now: number }): VisitorReader {
  const pages = listPages(pageCount, toDay(now), createRandom(`${seed} visits`))
  const revision = `${seed} ${pageCount} ${toDay(now)}`

  function count(range: DayRange): { totals: VisitorCounts; ranked: PageVisitors[] } {
    const { dateFrom = Number.NEGATIVE_INFINITY, dateTo = Number.POSITIVE_INFINITY } = range
    const all = new Set<number>()
    const ranked: PageVisitors[] = []
    for (const { path, visits } of pages) {
      const inRange = visits.filter(({ day }) => day >= dateFrom && day < dateTo).map(({ visitor }) => visitor)
      if (inRange.length === 0) continue
      for (const visitor of inRange) all.add(visitor)
      ranked.push({ path, ...countKinds(new Set(inRange)) })
    }
    ranked.sort((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
    return { totals: countKinds(all), ranked }
  }

  return {
    findRevision: () => revision,
    countAtRevision(_projectId, range, { limit, offset }) {
      const { totals, ranked } = count(range)
      const page = ranked.slice(offset, offset + limit)
      return { revision, totals, visitors: page, hasMore: page.length > 0 && offset + limit < ranked.length }
    },
    readAllPages(_projectId, range) {
      const { totals, ranked } = count(range)
      return { revision, totals, csv: writeCsv(ranked) }
    },
  }
}

function countKinds(seen: ReadonlySet<number>): VisitorCounts {
  let ai = 0
  let both = 0
  for (const visitor of seen) {
    if (visitor < aiVisitors) ai++
    if (visitor < bothVisitors) both++
  }
  return { human: seen.size - ai + both, ai, total: seen.size }
}

/** The first pages have the most visitors. */
function listPages(count: number, today: Day, random: Random): VisitedPage[] {
  return Array.from({ length: count }, (_, i) => {
    const section = sections[i % sections.length]
    const path = i === 0 ? '/' : `/${section}/page-${Math.ceil(i / sections.length)}`
    const views = Math.max(1, Math.round(400 / (i + 1) ** 0.7))
    const visits = Array.from({ length: views }, () => ({
      day: today - pickInteger(random, 0, days),
      visitor: pickInteger(random, 0, visitors),
    }))
    return { path, visits }
  })
}

async function* writeCsv(pages: readonly PageVisitors[]): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(csvHead)
  if (pages.length > 0) yield new TextEncoder().encode(pages.map(toCsvLine).join(''))
}
