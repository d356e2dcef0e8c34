import { type Exchange, LawSkipped, type Session } from '../session.ts'
import type { Law } from './law.ts'
import { askVisitors } from './visitors.ts'

const dayMs = 86_400_000
/** A century: older visits are an error of the import. */
const mostDaysBack = 36_525

/** dateTo is exclusive, and a date-time stands for its day in UTC. Proved on the last day with visits. */
export const dateLaw: Law = {
  checks: ['date_range'],
  async run(session) {
    const day = await findLastDay(session)
    const name = formatDay(day)
    const next = formatDay(day + 1)
    const cases: [from: string, to: string, isCounted: boolean, why: string][] = [
      [name, name, false, 'dateTo is exclusive, so the range is empty'],
      [name, next, true, 'the day has visits'],
      [`${name}T23:59:59Z`, next, true, 'dateFrom stands for its day'],
      [name, `${next}T00:00:00.123456+00:00`, true, 'dateTo stands for its day'],
      [name, encodeURIComponent(`${next}T00:00:00.123456+00:00`), true, 'dateTo stands for its day'],
      [name, encodeURIComponent(`${next}T01:30:00+02:00`), false, 'dateTo is on the same day in UTC'],
      [name, `${name}T23:30:00-01:00`, true, 'dateTo is on the next day in UTC'],
      [next, next, false, 'dateTo is exclusive, so the range is empty'],
    ]
    for (const [from, to, isCounted, why] of cases) {
      const { visitors, exchange } = await askVisitors(session, `dateFrom=${from}&dateTo=${to}`)
      const { total } = visitors.totals
      const fault = () => `dateFrom=${from}&dateTo=${to} counts ${total} visitors, but ${why}.`
      session.check('date_range', total > 0 === isCounted, fault, exchange)
    }
    await checkRefused(session, `dateFrom=${next}&dateTo=${name}`, 'dateFrom is after dateTo')
    await checkRefused(session, 'dateFrom=2026-02-30', 'the day does not exist')
    await checkRefused(session, 'dateTo=2026-11-20T25:00:00Z', 'the hour does not exist')
  },
}

async function checkRefused(session: Session, query: string, why: string): Promise<void> {
  const exchange: Exchange = await session.ask(session.operations.getUniqueVisitors, { query })
  const { status } = exchange.answer
  if (status === 429) throw new LawSkipped('The analytics budget of the organization is spent.')
  session.check('date_range', status === 400, () => `${query} gets ${status} instead of 400, but ${why}.`, exchange)
}

/** Returns the last day with visits, in days since 1970. The visits from a day on become fewer with each day. */
async function findLastDay(session: Session): Promise<number> {
  const today = Math.floor(Date.now() / dayMs)
  let after = today + 366
  const future = await countFrom(session, after)
  const fault = () => `From ${formatDay(after)} on, ${future.total} visitors are counted.`
  session.check('date_range', future.total === 0, fault, future.exchange)
  if (future.total > 0) throw new LawSkipped()
  let back = 1
  while ((await countFrom(session, today - back)).total === 0) {
    after = today - back
    back *= 4
    if (back > mostDaysBack) throw new LawSkipped('The project has no visitors. Set --project to one that has.')
  }
  let last = today - back
  while (after - last > 1) {
    const middle = Math.floor((last + after) / 2)
    if ((await countFrom(session, middle)).total > 0) last = middle
    else after = middle
  }
  return last
}

async function countFrom(session: Session, day: number): Promise<{ total: number; exchange: Exchange }> {
  const { visitors, exchange } = await askVisitors(session, `dateFrom=${formatDay(day)}&limit=1`)
  return { total: visitors.totals.total, exchange }
}

function formatDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 'yyyy-mm-dd'.length)
}
