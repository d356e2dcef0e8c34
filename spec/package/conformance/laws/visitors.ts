import { readJson } from '../exchange.ts'
import { type Exchange, LawSkipped, type Session } from '../session.ts'

export interface Counts {
  human: number
  ai: number
  total: number
}

/** A 200 of getUniqueVisitors as JSON. */
export interface Visitors {
  totals: Counts
  visitors: readonly (Counts & { path: string })[]
  hasMore: boolean
}

/** Asks for visitors. Ends the law if the answer is not a 200 with the documented fields. */
export async function askVisitors(
  session: Session,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ visitors: Visitors; exchange: Exchange }> {
  const exchange = await session.ask(session.operations.getUniqueVisitors, { query, headers })
  requireStatus(session, exchange, query)
  const visitors = readJson(exchange.answer)
  // The comparison with the schema has failed already.
  if (!isVisitors(visitors)) throw new LawSkipped()
  return { visitors, exchange }
}

/** Ends the law if the answer is not a 200. */
export function requireStatus(session: Session, { answer }: Exchange, query: string): void {
  const { status, headers } = answer
  if (status === 200) return
  const { project } = session.settings
  if (status === 429) {
    const wait =
      headers['retry-after'] === undefined ? '' : ` It has one more request in ${headers['retry-after']} seconds.`
    throw new LawSkipped(`The analytics budget of the organization is spent.${wait}`)
  }
  if (status === 404) throw new LawSkipped(`The project ${project} is unknown. Set --project.`)
  throw new LawSkipped(`getUniqueVisitors?${query} answered ${status} instead of 200.`)
}

function isVisitors(value: unknown): value is Visitors {
  const { totals, visitors, hasMore } = (value ?? {}) as Record<string, unknown>
  return typeof totals === 'object' && totals !== null && Array.isArray(visitors) && typeof hasMore === 'boolean'
}

/** Returns how many requests of the budget are left by the header; undefined if it is missing. */
export function readLeft({ answer }: Exchange): number | undefined {
  const text = /;r=(\d+)/.exec(answer.headers.ratelimit ?? '')?.[1]
  return text === undefined ? undefined : Number(text)
}
