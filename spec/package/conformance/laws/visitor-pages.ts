import { isDeepStrictEqual } from 'node:util'
import { type Exchange, LawSkipped, type Session } from '../session.ts'
import type { Law } from './law.ts'
import { askVisitors, type Counts, type Visitors } from './visitors.ts'

const mostPages = 250
const usualPages = 50

/** Pages of the same range, asked in different parts, are the same pages. */
export const paginationLaw: Law = {
  checks: ['pagination', 'visitor_totals'],
  async run(session) {
    const all = await askVisitors(session, `limit=${mostPages}`)
    checkTotals(session, all.visitors, all.exchange)
    checkOrder(session, all.visitors, all.exchange)
    const faults = await compareParts(session, all.visitors)
    const again = await askVisitors(session, `limit=${mostPages}`)
    if (!isDeepStrictEqual(again.visitors, all.visitors)) {
      throw new LawSkipped('The counts of the project changed meanwhile. Run the kit again, or with another project.')
    }
    for (const { fault, exchange } of faults)
      session.check('pagination', fault === undefined, () => fault ?? '', exchange)
    if (all.visitors.visitors.length < 2) {
      throw new LawSkipped(
        'The project has fewer than two pages with visitors, so the order of pages was not compared.',
      )
    }
  },
}

interface Comparison {
  fault: string | undefined
  exchange: Exchange
}

async function compareParts(session: Session, all: Visitors): Promise<Comparison[]> {
  const known = all.visitors.length
  const step = Math.max(1, Math.ceil(known / 3))
  const parts = [0, 1, 2, 3].map(i => ({ limit: step, offset: i * step }))
  const past = { limit: mostPages, offset: Number.MAX_SAFE_INTEGER }
  const asked = [...parts, { limit: 1, offset: 0 }, { limit: 1, offset: 1 }, past]
  const compared: Comparison[] = []
  for (const { limit, offset } of asked) {
    const query = `limit=${limit}&offset=${offset}`
    const { visitors, exchange } = await askVisitors(session, query)
    compared.push({ fault: findFault(all, visitors, { query, limit, offset }), exchange })
  }
  const usual = await askVisitors(session, '')
  const fault = findFault(all, usual.visitors, { query: 'no limit', limit: usualPages, offset: 0 })
  return [...compared, { fault, exchange: usual.exchange }]
}

function findFault(
  all: Visitors,
  part: Visitors,
  { query, limit, offset }: { query: string; limit: number; offset: number },
): string | undefined {
  const { length } = part.visitors
  if (length > limit) return `With ${query}, the answer has ${length} pages.`
  if (!isDeepStrictEqual(part.totals, all.totals))
    return `With ${query}, totals differ from those with limit=${mostPages}.`
  const isPast = offset > mostPages
  // What comes after the pages of `all` is unknown if there are more.
  if (all.hasMore && !isPast && offset + limit > all.visitors.length) return undefined
  const expected = isPast ? [] : all.visitors.slice(offset, offset + limit)
  if (!isDeepStrictEqual(part.visitors, expected)) {
    return `With ${query}, the answer has other pages than the same part of limit=${mostPages}.`
  }
  const hasMore = !isPast && (all.hasMore || offset + limit < all.visitors.length)
  return part.hasMore === hasMore ? undefined : `With ${query}, hasMore is ${part.hasMore} instead of ${hasMore}.`
}

function checkOrder(session: Session, { visitors }: Visitors, exchange: Exchange): void {
  const paths = visitors.map(({ path }) => path)
  const wrong = visitors.findIndex((page, i) => {
    const before = visitors[i - 1]
    return before !== undefined && !isOrdered(before, page)
  })
  const repeated = paths.find((path, i) => paths.indexOf(path) !== i)
  const fault = repeated === undefined ? `${paths[wrong - 1]} is before ${paths[wrong]}` : `${repeated} is there twice`
  session.check('pagination', wrong < 0 && repeated === undefined, () => `The order is wrong: ${fault}.`, exchange)
}

/** By total, largest first, then by path, in the order of UTF-16 or of UTF-8. */
function isOrdered(a: Visitors['visitors'][number], b: Visitors['visitors'][number]): boolean {
  if (a.total !== b.total) return a.total > b.total
  return a.path < b.path || Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) < 0
}

function checkTotals(session: Session, { totals, visitors }: Visitors, exchange: Exchange): void {
  const wrong = [{ path: 'totals', ...totals }, ...visitors].find(counts => !isUnion(counts))
  const fault = () => `${wrong?.path} has total ${wrong?.total}, human ${wrong?.human} and ai ${wrong?.ai}.`
  session.check('visitor_totals', wrong === undefined, fault, exchange)
  const larger = visitors.find(page => page.total > totals.total)
  session.check(
    'visitor_totals',
    larger === undefined,
    () => `${larger?.path} has more visitors than the site.`,
    exchange,
  )
}

function isUnion({ human, ai, total }: Counts): boolean {
  return total >= Math.max(human, ai) && total <= human + ai
}
