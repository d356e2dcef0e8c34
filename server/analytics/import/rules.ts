import type { AgentUse, Kind } from '../agents/agent-list.ts'
import type { Classification } from '../agents/classify.ts'
import { toRuleLabel } from '../labels.ts'

/** The rule that classified a view, see `Classification`. Rules are numbered so that counting a line needs no look-up. */
export interface Rule {
  number: number
  kind: Kind
  name: string
  /** Display name and purpose of the AI agent; absent for the other kinds, and for Markdown views of unknown programs. */
  agent?: string
  use?: AgentUse
  /** The label of its visitors; undefined for people. */
  label: string | undefined
}

// Kept for the lifetime of the process. The agent lists yield a few thousand rules, agents files a few more, and no log can add one.
const rules: Rule[] = []
const byName = new Map<string, Rule>()

/**
 * Returns the rule of this kind, name and use. Every call returns the same rule.
 *
 * @param agentKey of an agent that an operator added, see `toAgentKey`
 */
export function findRule({ kind, rule: name, agent, use }: Classification, agentKey = agent): Rule {
  const key = `${kind} ${use ?? ''} ${name}`
  const known = byName.get(key)
  if (known) return known
  const label = toRuleLabel(kind, agentKey ?? name)
  const rule = { number: rules.length, kind, name, label, ...(agent && use ? { agent, use } : {}) }
  rules.push(rule)
  byName.set(key, rule)
  return rule
}

/** Returns the rule of a view with the name of an agent, from an address that is not one of the agent. */
export function findImpostorRule(agent: string): Rule {
  return findRule({ kind: 'neither', rule: `impostor: ${agent}` })
}

/** Lists the rules in the order of their numbers. */
export function listRules(): readonly Rule[] {
  return rules
}
