import { isbot } from 'isbot'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { type AgentMatch, type Kind, nameOf } from './agent-list.ts'
import { agentLists } from './agent-lists.ts'

/** Who made a request, according to the user agent. */
export interface Classification {
  kind: Kind
  /** The rule that decided: `ai: GPTBot`, `search-engine: Googlebot`, `isbot`, `empty`, `browser`. One of a few thousand values. */
  rule: string
}

/** Longer than any genuine user agent; limits the time a regular expression can take. */
export const maxCharacters = 1024
const cache = new BoundedCache<string, Classification>(20_000)

/**
 * Classifies a user agent as human, AI (assistants, AI search, AI crawlers, coding agents) or another program (classic
 * bots, previews, libraries, monitors). The first match in `agentLists` decides, then isbot, which alone would take
 * Perplexity-User or Devin for people.
 */
export function classify(userAgent: string): Classification {
  // Not cached: a log full of long user agents would fill the memory.
  if (userAgent.length > maxCharacters) return decide(userAgent)
  const cached = cache.get(userAgent)
  if (cached) return cached
  const { kind, rule } = decide(userAgent)
  const classification = { kind, rule }
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
    const { kind, label } = match.entry
    return { kind, rule: kind === 'human' ? label : `${label}: ${nameOf(match)}`, match }
  }
  return isbot(trimmed) ? { kind: 'neither', rule: 'isbot' } : { kind: 'human', rule: 'browser' }
}
