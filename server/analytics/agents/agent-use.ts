import { type AgentUse, agentUses } from './agent-list.ts'
import { aiLists } from './agent-lists.ts'

const useOfAgent = new Map<string, AgentUse>()
for (const { entries } of aiLists) {
  for (const { name, use } of entries) if (name !== undefined && use && !useOfAgent.has(name)) useOfAgent.set(name, use)
}

/**
 * Returns the text by which the labels of an agent name it: its name, and its class if that is not the one of the built-in agent of
 * this name. The reports of a project do not know the agents files with which its logs were imported.
 */
export function toAgentKey(name: string, use: AgentUse): string {
  return findAgentUse(name) === use ? name : `${name}@${use}`
}

/** Returns the name and the use of an agent by its key, see `toAgentKey`. */
export function parseAgentKey(key: string): { agent: string; use: AgentUse } {
  const at = key.lastIndexOf('@')
  const use = at === -1 ? undefined : agentUses.find(known => known === key.slice(at + 1))
  return use ? { agent: key.slice(0, at), use } : { agent: key, use: useOfAgent.get(key) ?? 'unknown' }
}

/** Returns the use of an agent by the name under which its visitors are counted. */
export function findAgentUse(name: string): AgentUse {
  return parseAgentKey(name).use
}
