import type { AgentUse } from './agent-list.ts'
import { aiLists } from './agent-lists.ts'

const useOfAgent = new Map<string, AgentUse>()
for (const { entries } of aiLists) {
  for (const { name, use } of entries) if (name !== undefined && use && !useOfAgent.has(name)) useOfAgent.set(name, use)
}

/** Returns the use of an agent by the name under which its visitors are counted. */
export function findAgentUse(name: string): AgentUse {
  return useOfAgent.get(name) ?? 'unknown'
}
