import type { ExtensionsClient } from '../../../generated/extensions/client.ts'
import type { operations } from '../../../generated/extensions/openapi.ts'
import { QuireError } from './error.ts'
import { type AnyAnswer, getData } from './get-data.ts'
import type { DataOf, RequestOptions, ResultOf } from './method.ts'

/** The operations that answer a page and the cursor of the next one. */
export type PagedId = 'listAgentJobs' | 'listExports' | 'listDeliveries'

type Page<Id extends PagedId> = DataOf<ResultOf<operations[Id]>>

/**
 * Yields the pages of a list, from the first or from `params.query.cursor`. A server that is busy or away is asked five times.
 *
 * @throws {QuireError} if the server refuses, is away for five attempts, or answers a cursor for a second time
 */
export async function* eachPage<Id extends PagedId>(
  client: Pick<ExtensionsClient, Id>,
  operation: Id,
  ...[options]: Parameters<ExtensionsClient[Id]>
): AsyncGenerator<Page<Id>, void, undefined> {
  const list = client[operation] as (options: object) => Promise<AnyAnswer>
  const { params, ...others } = (options ?? {}) as RequestOptions<operations['listExports']>
  const seen = new Set<string>()
  for (let query = params?.query ?? {}; ; ) {
    const send = () => list({ ...others, params: { ...params, query } }) as Promise<ResultOf<operations['listExports']>>
    const page = await getData(operation, { send, isWhole: hasCursor, signal: others.signal })
    yield page as Page<Id>
    if (page.nextCursor === null) return
    if (seen.has(page.nextCursor)) throw new QuireError(operation, 'the server answers the same cursor again.')
    seen.add(page.nextCursor)
    query = { ...query, cursor: page.nextCursor }
  }
}

function hasCursor({ nextCursor }: { nextCursor: unknown }): boolean {
  return nextCursor === null || typeof nextCursor === 'string'
}
