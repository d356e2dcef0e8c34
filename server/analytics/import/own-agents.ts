import { BoundedCache } from '../../base/bounded-cache.ts'
import type { OwnAgent, OwnAgentList } from '../../tenancy/project.ts'
import { toAgentKey } from '../agents/agent-use.ts'
import { maxCharacters } from '../agents/classify.ts'
import { describeUse, explainUserAgent, type UserAgentExplanation } from '../agents/explain-user-agent.ts'
import { AddressRanges } from '../formats/address-ranges.ts'
import { findKnownOwners, isProxy } from './address-owners.ts'
import type { Clients } from './clients.ts'
import { findImpostorRule, findRule, type Rule } from './rules.ts'
import { TextFinder } from './text-finder.ts'

/** The source of the agents that are kept with a project. */
export const projectAgents = 'the agents of the project'

/** An entry of a list, ready for counting. */
interface Entry {
  agent: OwnAgent
  /** Such as `entry 2 of agents.json`. */
  place: string
  /** In lower case. */
  texts: readonly string[]
  /** Missing until a view has its name, because each takes 64 KB. */
  ranges?: AddressRanges<true>
  rule: Rule
}

/** The entry that decided about a view, and its verdict, see `Verdict`; `any` = its addresses say nothing. */
export interface OwnMatch {
  entry: Entry
  rule: Rule
  verdict: 'verified' | 'impostor' | 'claimed' | 'by-address' | 'any'
}

/** Finds the agents that operators added, before the built-in ones are asked. */
export class OwnAgents {
  /** The entry of each text of `#texts`. */
  readonly #named: readonly Entry[]
  readonly #texts: TextFinder
  /** The entries that need no user agent; where their blocks overlap, the smallest decides. */
  readonly #byAddress: AddressRanges<Entry> | undefined
  /** By user agent. Null = none of the named entries. */
  readonly #known = new BoundedCache<string, Entry | null>(1000)

  /** @param lists in the order in which they are asked */
  constructor(lists: readonly OwnAgentList[]) {
    const entries = lists.flatMap(({ source, agents }) =>
      agents.map((agent, index) => toEntry(agent, `entry ${index + 1} of ${source}`)),
    )
    this.#named = entries.flatMap(entry => entry.texts.map(() => entry))
    this.#texts = new TextFinder(entries.flatMap(({ texts }) => texts))
    // Of two entries with the same block, the last one decides in `AddressRanges`.
    const unnamed = entries.filter(({ texts }) => texts.length === 0).reverse()
    if (unnamed.length > 0) {
      this.#byAddress = new AddressRanges(
        unnamed.flatMap(entry => entry.agent.ranges.map(cidr => ({ cidr, owner: entry }))),
      )
    }
  }

  /** Finds the agent of a view by its user agent and its address; undefined = none of an operator. */
  find(userAgent: string, { bytes, start, end }: Pick<Clients, 'bytes' | 'start' | 'end'>): OwnMatch | undefined {
    const entry = this.findNamed(userAgent)
    if (!entry) {
      const owner = this.#byAddress?.find(bytes, start, end)
      return owner && { entry: owner, rule: owner.rule, verdict: 'by-address' }
    }
    const { rule, agent } = entry
    if (agent.ranges.length === 0) return { entry, rule, verdict: 'any' }
    entry.ranges ??= new AddressRanges(agent.ranges.map(cidr => ({ cidr, owner: true as const })))
    if (entry.ranges.find(bytes, start, end)) return { entry, rule, verdict: 'verified' }
    // A proxy or a private network may hide the agent.
    const mayBeAgent = !agent.complete || isProxy(findKnownOwners().find(bytes, start, end))
    if (mayBeAgent) return { entry, rule, verdict: 'claimed' }
    return { entry, rule: findImpostorRule(agent.name), verdict: 'impostor' }
  }

  /** Finds the first entry with a part of the user agent. */
  findNamed(userAgent: string): Entry | undefined {
    const known = this.#known.get(userAgent)
    if (known !== undefined) return known ?? undefined
    const found = this.#texts.find(userAgent.slice(0, maxCharacters).toLowerCase())
    const entry = found === undefined ? undefined : this.#named[found]
    // Long user agents are not kept because a log full of them would fill the memory.
    if (userAgent.length <= maxCharacters) this.#known.set(userAgent, entry ?? null)
    return entry
  }
}

/** Returns whether the built-in lists of addresses say nothing more about a view. */
export function isJudged({ verdict, entry }: OwnMatch): boolean {
  return verdict !== 'any' || entry.agent.class === 'not-ai'
}

function toEntry(agent: OwnAgent, place: string): Entry {
  const { name, class: use, contains } = agent
  const rule = `ai: ${name}${contains.length === 0 ? ' by its address' : ''}`
  return {
    agent,
    place,
    texts: contains.map(text => text.toLowerCase()),
    rule:
      use === 'not-ai'
        ? findRule({ kind: 'neither', rule: `not-ai: ${name}` })
        : findRule({ kind: 'ai', rule, agent: name, use }, toAgentKey(name, use)),
  }
}

/** Explains what a user agent counts as, also by the agents of operators. */
export function explainByOwn(userAgent: string, entry: Entry | undefined): UserAgentExplanation {
  const builtIn = explainUserAgent(userAgent)
  if (!entry) return builtIn
  const { agent, place, texts, rule } = entry
  const found = agent.contains.find((_, index) => userAgent.toLowerCase().includes(texts[index] as string))
  const what = agent.class === 'not-ai' ? 'A program, not AI' : describeUse(agent.class)
  return {
    userAgent,
    kind: rule.kind,
    rule: rule.name,
    why: `${what}: ${found === undefined ? 'its address' : `“${found}”`} is in ${place} (${agent.name}).`,
    ...(found !== undefined && { pattern: found, found }),
    ...(agent.class !== 'not-ai' && { use: agent.class }),
    notes: [`Without this entry, its rule is "${builtIn.rule}".`],
  }
}

/** Says what the address of a view says about its agent, as a sentence; undefined = nothing. */
export function explainOwnVerdict({ verdict, entry }: OwnMatch, address: string): string | undefined {
  const ranges = `the ranges of ${entry.place}`
  switch (verdict) {
    case 'verified':
      return `Verified: ${address} is in ${ranges}.`
    case 'impostor':
      return `An impostor: ${address} is not in ${ranges}, which are complete.`
    case 'claimed':
      return entry.agent.complete
        ? `Not verified: ${address} is the address of a proxy or a private network.`
        : `Not verified: ${address} is not in ${ranges}, which are not complete.`
    case 'by-address':
      return `${address} is in ${ranges}, so the request is of ${entry.agent.name}, whatever its user agent says.`
    case 'any':
      return undefined
  }
}
