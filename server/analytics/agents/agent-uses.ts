import type { AgentUse } from './agent-list.ts'
import { aiLists } from './agent-lists.ts'

const byName = new Map<string, AgentUse>()
for (const { entries } of aiLists) {
  for (const { name, use } of entries) if (name !== undefined && use && !byName.has(name)) byName.set(name, use)
}

/** Returns the use of an agent by the name under which its visitors are counted. */
export function findAgentUse(name: string): AgentUse {
  return byName.get(name) ?? 'unknown'
}
