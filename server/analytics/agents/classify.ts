import { isbot } from 'isbot'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { type AgentMatch, type Kind, nameOf } from './agent-list.ts'
import { agentLists } from './agent-lists.ts'

/** Who made a request, as the user agent tells it. */
export interface Classification {
  kind: Kind
  /** What told: `ai: GPTBot`, `search-engine: Googlebot`, `isbot`, `empty`, `browser`. One of a few thousand values. */
  rule: string
}

/** Longer than any honest user agent; a bound on what a regular expression can cost. */
export const maxCharacters = 1024
const cache = new BoundedCache<string, Classification>(20_000)

/**
 * Tells people, AI (assistants, AI search, AI crawlers, coding agents) and other programs (classic bots, previews,
 * libraries, monitors) apart by the user agent. The first of `agentLists` that knows it decides, then isbot, which alone
 * takes Perplexity-User or Devin for people.
 */
export function classify(userAgent: string): Classification {
  // Not remembered: a log full of long ones would fill the memory.
  if (userAgent.length > maxCharacters) return decide(userAgent)
  const cached = cache.get(userAgent)
  if (cached) return cached
  const { kind, rule } = decide(userAgent)
  const classification = { kind, rule }
  cache.set(userAgent, classification)
  return classification
}

/** A classification, and what an entry of a list found when one decided. */
export interface Decision extends Classification {
  match?: AgentMatch
}

/** What `classify` remembers, decided anew. */
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
