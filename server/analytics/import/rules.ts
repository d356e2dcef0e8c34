import type { Kind } from '../agents/agent-list.ts'

/** The rule that classified a view, see `Classification`. Rules are numbered so that counting a line needs no look-up. */
export interface Rule {
  number: number
  kind: Kind
  name: string
}

// Kept for the lifetime of the process. The agent lists yield a few thousand rules, and no log can add one.
const rules: Rule[] = []
const byName = new Map<string, Rule>()

/** Returns the rule with this kind and name. Every call returns the same rule. */
export function findRule(kind: Kind, name: string): Rule {
  const key = `${kind} ${name}`
  const known = byName.get(key)
  if (known) return known
  const rule = { number: rules.length, kind, name }
  rules.push(rule)
  byName.set(key, rule)
  return rule
}

/** Lists the rules in the order of their numbers. */
export function listRules(): readonly Rule[] {
  return rules
}
