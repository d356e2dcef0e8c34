import type { QuireClient } from '../../../generated/client.ts'
import { QuireError } from './error.ts'
import { getData } from './get-data.ts'
import type { Data } from './method.ts'

export interface EachVisitorOptions {
  projectId: string
  /** As in the operation: a day or a date-time. */
  dateFrom?: string
  /** Exclusive, as in the operation. */
  dateTo?: string
  /** Pages of the site per request, from 1 to 250. Default: 250, which spends least of the budget. */
  limit?: number
  /** Ends the iteration; the iterator then throws the reason of the signal. */
  signal?: AbortSignal | undefined
}

/** A server that always has more is not asked for ever: a million pages of a site at 250 per request. */
const maxRequests = 4000

/**
 * Yields the visitors of every page of a site, in the order of the operation, and each page once. If the budget is spent, it
 * waits as long as the server says, 5 minutes at most per request.
 *
 * It ends when the server has no more, and also when an answer has no page that was not there before: that server ignores
 * `offset`. For counts of one instant, request the CSV instead.
 *
 * @throws {QuireError} if the server refuses, or is away for five attempts
 */
export async function* eachVisitor(
  client: Pick<QuireClient, 'getUniqueVisitors'>,
  { projectId, dateFrom, dateTo, limit = 250, signal }: EachVisitorOptions,
): AsyncGenerator<Data<'getUniqueVisitors'>['visitors'][number], void, undefined> {
  const range = { ...(dateFrom !== undefined && { dateFrom }), ...(dateTo !== undefined && { dateTo }) }
  const seen = new Set<string>()
  let offset = 0
  for (let count = 0; count < maxRequests; count++) {
    signal?.throwIfAborted()
    const params = { path: { projectId }, query: { ...range, limit, offset } }
    const send = () => client.getUniqueVisitors({ params, signal })
    const { visitors, hasMore } = await getData('getUniqueVisitors', { send, isWhole: hasVisitors, signal })
    const added = visitors.filter(({ path }) => !seen.has(path))
    for (const visitor of added) {
      // Also within one answer, a page counts once.
      if (seen.has(visitor.path)) continue
      seen.add(visitor.path)
      yield visitor
    }
    if (!hasMore || added.length === 0) return
    offset += visitors.length
  }
  throw new QuireError('getUniqueVisitors', `the server still has more pages after ${maxRequests} requests.`)
}

function hasVisitors({ visitors }: Data<'getUniqueVisitors'>): boolean {
  return Array.isArray(visitors) && visitors.every(visitor => typeof visitor?.path === 'string')
}
