import type { Kind } from '../agents/agent-list.ts'

/** The rule that classified a view, see `Classification`; numbered, so that a line is counted without a look-up. */
export interface Rule {
  number: number
  kind: Kind
  name: string
}

// Kept for the life of the process: the agent lists yield a few thousand rules, and no log can add one.
const rules: Rule[] = []
const byName = new Map<string, Rule>()

/** Returns a rule with its number, the same on every call. */
export function findRule(kind: Kind, name: string): Rule {
  const key = `${kind} ${name}`
  const known = byName.get(key)
  if (known) return known
  const rule = { number: rules.length, kind, name }
  rules.push(rule)
  byName.set(key, rule)
  return rule
}

/** Lists the rules by their numbers. */
export function listRules(): readonly Rule[] {
  return rules
}
