import type { AgentUse } from '../agents/agent-list.ts'
import { type Day, formatDay, parseDay } from '../day.ts'
import type { AddressOwner } from './address-owners.ts'
import { type AgentOperator, type AgentRangeList, publishedOperators } from './agent-ranges.ts'

/**
 * What an address tells about a request: `verified` = the name and the address belong together, or the address belongs to one
 * agent, whatever the name is; `impostor` = the operator publishes all its addresses, and this is none of them; `claimed` =
 * nobody can tell; undefined = the request names no AI agent, and its address belongs to none.
 */
export type Verdict =
  | { verdict: 'verified'; operator: string; list: AgentRangeList; agent?: undefined; use?: undefined }
  | { verdict: 'verified'; operator: string; list: AgentRangeList; agent: string; use: AgentUse }
  | { verdict: 'impostor'; operator: string; list: AgentRangeList }
  | { verdict: 'claimed'; operator?: string; list?: AgentRangeList }

/**
 * Addresses change: a line that is older or newer than the list by more days does not prove an impostor. The day of the line
 * decides, not the present, so that a line counts the same in every import.
 */
export const validDays = 90

type PublishedList = Pick<Extract<Verdict, { verdict: 'impostor' }>, 'operator' | 'list'>

const claimed: Verdict = { verdict: 'claimed' }

/** Verifies AI agents by the addresses that their operators publish. */
export class AgentAddresses {
  /** By the name of an agent in lower case. */
  readonly #published = new Map<string, PublishedList>()
  /** By the name of an agent as a list of agents spells it. */
  readonly #found = new Map<string, PublishedList | undefined>()

  constructor(operators: readonly AgentOperator[] = publishedOperators) {
    for (const { operator, lists } of operators) {
      for (const list of lists)
        for (const name of list.names) this.#published.set(name.toLowerCase(), { operator, list })
    }
  }

  /**
   * @param agent the AI agent that the user agent names
   * @param owner of the address of the request
   */
  judge(agent: string | undefined, owner: AddressOwner | undefined, day: Day): Verdict | undefined {
    const ofAgent = owner?.kind === 'agent' ? { operator: owner.name, list: owner.list } : undefined
    if (agent === undefined) {
      if (ofAgent?.list.agent === undefined) return undefined
      return { verdict: 'verified', ...ofAgent, agent: ofAgent.list.agent, use: ofAgent.list.use ?? 'unknown' }
    }
    const known = this.#findPublished(agent)
    if (!known) return claimed
    if (ofAgent?.operator === known.operator) return { verdict: 'verified', ...ofAgent }
    const mayBeAgent = owner !== undefined && owner.kind !== 'agent'
    const isImpostor = known.list.complete && !mayBeAgent && isNear(day, known.list.asOf)
    return { verdict: isImpostor ? 'impostor' : 'claimed', ...known }
  }

  #findPublished(agent: string): PublishedList | undefined {
    if (!this.#found.has(agent)) this.#found.set(agent, this.#published.get(agent.toLowerCase()))
    return this.#found.get(agent)
  }
}

function isNear(day: Day, asOf: string): boolean {
  return Math.abs(day - (parseDay(asOf) as Day)) <= validDays
}

/** Says why a verdict was found, as a sentence. */
export function explainVerdict(verdict: Verdict, address: string, day: Day): string {
  const { operator, list } = verdict
  if (!operator || !list) return 'Its operator publishes no addresses that Quire knows, so the name is not verified.'
  const source = `${list.source} of ${list.asOf}`
  if (verdict.verdict === 'verified') {
    return verdict.agent === undefined
      ? `Verified: ${address} belongs to ${operator} (${source}).`
      : `${address} belongs to ${operator} (${source}), so the request is of ${verdict.agent}, whatever its user agent says.`
  }
  if (verdict.verdict === 'impostor') {
    return `An impostor: ${operator} publishes all addresses of the agent, and ${address} is none of them (${source}).`
  }
  const missing = `Not verified: ${address} is not in ${source}`
  if (!list.complete) return `${missing}, and ${operator} does not publish all addresses of the agent.`
  return isNear(day, list.asOf)
    ? `Not verified: ${address} is the address of a proxy, a private network or an example.`
    : `${missing}, which is more than ${validDays} days from ${formatDay(day)}.`
}
