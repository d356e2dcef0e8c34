import { BoundedCache } from '../../base/bounded-cache.ts'
import { type AgentMatch, type AgentUse, type Kind, nameOf } from './agent-list.ts'
import { aiLists, programLists } from './agent-lists.ts'
import { type BrowserName, removeBrowserNames } from './browser-names.ts'
import { findProgramWord, isBrowserForm, namesBrowser } from './program-words.ts'

/** Who made a request, according to the user agent. */
export interface Classification {
  kind: Kind
  /**
   * The rule that decided: `ai: GPTBot`, `search-engine: Googlebot`, `isbot: bots`, `no browser`, `empty`, `browser`. There
   * are a few thousand rules.
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
 * bots, previews, libraries, monitors). AI agents are searched first, because isbot alone would classify Perplexity-User and
 * Devin as human. A program that no list contains is recognized by the patterns of isbot, or because its user agent
 * names neither a browser nor a device.
 */
export function classify(userAgent: string): Classification {
  // Long user agents are not cached because a log full of them would fill the memory.
  if (userAgent.length > maxCharacters) return decide(userAgent)
  const cached = cache.get(userAgent)
  if (cached) return cached
  const { match: _, exempt: __, ...classification } = decide(userAgent)
  cache.set(userAgent, classification)
  return classification
}

/** A classification, with the reasons for it. */
export interface Decision extends Classification {
  /** The entry of a list that decided. */
  match?: AgentMatch
  /** The match that did not decide, because it is in the names of a device and browsers. */
  exempt?: { match: AgentMatch; names: readonly BrowserName[] }
}

/** Decides without the cache of `classify`. */
export function decide(userAgent: string): Decision {
  const trimmed = userAgent.slice(0, maxCharacters).trim()
  if (trimmed === '' || trimmed === '-') return { kind: 'neither', rule: 'empty' }
  for (const list of aiLists) {
    const match = list.find(trimmed)
    if (match) return decideBy(match)
  }
  const match = findProgram(trimmed)
  if (!match) return namesBrowser(trimmed) ? human : { kind: 'neither', rule: 'no browser' }
  if (!isBrowserForm(trimmed)) return decideBy(match)
  const { rest, removed } = removeBrowserNames(trimmed)
  if (removed.length === 0) return decideBy(match)
  const other = findProgram(rest)
  return other ? decideBy(other) : { ...human, exempt: { match, names: removed } }
}

const human: Classification = { kind: 'human', rule: 'browser' }

function findProgram(userAgent: string): AgentMatch | undefined {
  for (const list of programLists) {
    const match = list.find(userAgent)
    if (match) return match
  }
  return findProgramWord(userAgent)
}

function decideBy(match: AgentMatch): Decision {
  const { kind, label, use } = match.entry
  const agent = nameOf(match)
  return { kind, rule: `${label}: ${agent}`, ...(kind === 'ai' && use ? { agent, use } : {}), match }
}
