import { isbot } from 'isbot'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { type AgentMatch, type AgentUse, type Kind, nameOf } from './agent-list.ts'
import { agentLists } from './agent-lists.ts'

/** Who made a request, according to the user agent. */
export interface Classification {
  kind: Kind
  /**
   * The rule that decided: `ai: GPTBot`, `search-engine: Googlebot`, `isbot`, `empty`, `browser`. There are a few
   * thousand rules.
   */
  rule: string
  /** Display name and purpose of an AI agent; absent for the other kinds. */
  agent?: string
  use?: AgentUse
}

/** Maximum number of characters searched. No genuine user agent is longer. Limits the time of regular expressions. */
export const maxCharacters = 1024
const cache = new BoundedCache<string, Classification>(20_000)

/**
 * Classifies a user agent as human, AI (assistants, AI search, AI crawlers, coding agents) or another program (classic
 * bots, previews, libraries, monitors). The first match in `agentLists` decides. Without a match, isbot decides; isbot
 * alone would classify Perplexity-User and Devin as human.
 */
export function classify(userAgent: string): Classification {
  // Long user agents are not cached because a log full of them would fill the memory.
  if (userAgent.length > maxCharacters) return decide(userAgent)
  const cached = cache.get(userAgent)
  if (cached) return cached
  const { match: _, ...classification } = decide(userAgent)
  cache.set(userAgent, classification)
  return classification
}

/** A classification, with the match when a list entry decided. */
export interface Decision extends Classification {
  match?: AgentMatch
}

/** Decides without the cache of `classify`. */
export function decide(userAgent: string): Decision {
  const trimmed = userAgent.slice(0, maxCharacters).trim()
  if (trimmed === '' || trimmed === '-') return { kind: 'neither', rule: 'empty' }
  for (const list of agentLists) {
    const match = list.find(trimmed)
    if (!match) continue
    const { kind, label, use } = match.entry
    const agent = nameOf(match)
    const rule = kind === 'human' ? label : `${label}: ${agent}`
    return kind === 'ai' && use ? { kind, rule, agent, use, match } : { kind, rule, match }
  }
  return isbot(trimmed) ? { kind: 'neither', rule: 'isbot' } : { kind: 'human', rule: 'browser' }
}
