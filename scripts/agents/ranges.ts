import { parseCidr } from '../../server/analytics/formats/address-ranges.ts'
import type { AgentOperator } from '../../server/analytics/import/agent-ranges.ts'

/** Addresses with the date and the URL of their list. */
interface DatedRanges {
  source: string
  asOf: string | null
  ranges: readonly string[]
}

export interface ProxyRanges extends DatedRanges {
  name: string
  /** Only the ranges of this service in a list of several services; missing = all. */
  service?: string
  /** Whether the list is a page for people, so that nothing can be fetched. */
  isPage?: boolean
}

type Fetcher = (url: string) => Promise<Response>

/** What became of a list. */
export interface RangeUpdate {
  name: string
  ranges: number
  added: number
  removed: number
  /** Why the list stays as it is. */
  problem?: string
}

/** Fetches the lists again. A list that cannot be fetched stays as it is. */
export async function updateRanges<List extends DatedRanges>(
  lists: readonly { name: string; list: List; service?: string | undefined }[],
  { fetcher, day }: { fetcher: Fetcher; day: string },
): Promise<{ updates: RangeUpdate[]; lists: List[] }> {
  const done = await Promise.all(
    lists.map(async ({ name, list, service }): Promise<{ update: RangeUpdate; list: List }> => {
      try {
        const ranges = listRanges(await fetchJson(fetcher, list.source), service)
        if (ranges.length === 0) throw new Error('it has no range')
        const added = ranges.filter(range => !list.ranges.includes(range)).length
        const removed = list.ranges.filter(range => !ranges.includes(range)).length
        return { update: { name, ranges: ranges.length, added, removed }, list: { ...list, asOf: day, ranges } }
      } catch (error) {
        const problem = `${list.source}: ${(error as Error).message}`
        return { update: { name, ranges: list.ranges.length, added: 0, removed: 0, problem }, list }
      }
    }),
  )
  return { updates: done.map(({ update }) => update), lists: done.map(({ list }) => list) }
}

/** Updates the lists of all operators. */
export async function updateOperators(
  operators: readonly AgentOperator[],
  options: { fetcher: Fetcher; day: string },
): Promise<{ updates: RangeUpdate[]; operators: AgentOperator[] }> {
  const all = operators.flatMap(({ lists }) => lists.map(list => ({ name: list.names.join(', '), list })))
  const { updates, lists } = await updateRanges(all, options)
  let at = 0
  return {
    updates,
    operators: operators.map(operator => ({
      ...operator,
      lists: operator.lists.map(() => lists[at++] as (typeof lists)[number]),
    })),
  }
}

async function fetchJson(fetcher: Fetcher, url: string): Promise<unknown> {
  const answer = await fetcher(url)
  if (!answer.ok) throw new Error(`it answered ${answer.status}`)
  return answer.json()
}

/** Lists all blocks of addresses in a JSON value, in the order of the list. The lists of the operators differ in their names only. */
function listRanges(value: unknown, service: string | undefined): string[] {
  const found = new Set<string>()
  const visit = (inner: unknown): void => {
    if (typeof inner === 'string' && inner.includes('/') && parseCidr(inner)) found.add(inner)
    if (typeof inner !== 'object' || inner === null) return
    if (service !== undefined && 'service' in inner && inner.service !== service) return
    for (const each of Object.values(inner)) visit(each)
  }
  visit(value)
  return [...found]
}
