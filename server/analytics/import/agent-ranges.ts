import type { AgentUse } from '../agents/agent-list.ts'
import published from './agent-ranges.json' with { type: 'json' }

/** Addresses of agents, as their operator publishes them. */
export interface AgentRangeList {
  /** The agents that the addresses verify. */
  names: readonly string[]
  /** What a request without the name of an AI agent counts as; missing where others share the addresses. */
  agent?: string
  use?: AgentUse
  /** URL of the list. */
  source: string
  /** Date of the list, such as `2026-08-22`. */
  asOf: string
  /** Whether all addresses of the names are published. */
  complete: boolean
  ranges: readonly string[]
}

export interface AgentOperator {
  operator: string
  lists: readonly AgentRangeList[]
}

export const publishedOperators = published.operators as AgentOperator[]
