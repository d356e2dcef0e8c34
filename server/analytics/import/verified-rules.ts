import type { Day } from '../day.ts'
import type { AddressOwner } from './address-owners.ts'
import { AgentAddresses, type Verdict } from './agent-addresses.ts'
import { findImpostorRule, findRule, type Rule } from './rules.ts'

/** Replaces the rule of a view by the one that its address proves, see `AgentAddresses`. */
export class VerifiedRules {
  readonly #addresses = new AgentAddresses()
  /** By the name of an agent. */
  readonly #impostors = new Map<string, Rule>()
  readonly #byAddress = new Map<string, Rule>()

  /** Judges a view; undefined when neither its user agent nor its address is of an AI agent. */
  judge(rule: Rule, owner: AddressOwner | undefined, day: Day): Verdict | undefined {
    if (rule.agent === undefined && owner?.kind !== 'agent') return undefined
    return this.#addresses.judge(rule.agent, owner, day)
  }

  /** Returns the rule of a view that was judged. */
  findRule(rule: Rule, judged: Verdict | undefined): Rule {
    if (judged?.verdict === 'impostor') return this.#findImpostor(rule.agent as string)
    if (judged?.verdict !== 'verified' || judged.agent === undefined) return rule
    return this.#findByAddress(judged.agent, judged.use)
  }

  #findByAddress(agent: string, use: Rule['use']): Rule {
    const known = this.#byAddress.get(agent)
    if (known) return known
    const rule = findRule({ kind: 'ai', rule: `ai: ${agent} by its address`, agent, ...(use && { use }) })
    this.#byAddress.set(agent, rule)
    return rule
  }

  #findImpostor(agent: string): Rule {
    const known = this.#impostors.get(agent)
    if (known) return known
    const rule = findImpostorRule(agent)
    this.#impostors.set(agent, rule)
    return rule
  }
}
