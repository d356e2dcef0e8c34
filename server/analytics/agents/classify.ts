import { BoundedCache } from '../../base/bounded-cache.ts'
import { type AgentMatch, type AgentUse, type Kind, nameOf } from './agent-list.ts'
import { aiLists, programLists } from './agent-lists.ts'
import aiAgents from './ai-agents.json' with { type: 'json' }
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

/** A name in the user agent of a browser that contains a word of programs. */
interface BrowserName {
  /** Text in the user agent. */
  found: string
  /** `the name of the device`, or the reason in our list. */
  reason: string
  /** URL where the entry of our list was found. */
  source?: string
}

interface BrowserEntry {
  token: string
  reason: string
  source: string
  decided: string
  /** The text that must also be in the user agent. */
  beside?: string
}

/**
 * The model and the build of an Android device: the text after the version of Android and the language, up to the next
 * semicolon or the end of the comment. It may contain one pair of brackets.
 */
const devicePattern =
  /(\([^()]*\bAndroid [\w.-]*; ?(?:[A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?; ?)?)(?!wv\b)([^();]+(?:\([^()]*\)[^();]*)?)(?=[;)])/

/** What makes the text in the place of a device the name of a program. There are phones called M Bot 51 and Spider 8. */
const programMarks = /https?:|compatible|\bwww\.|(?:bot|spider)\/|crawl|screenshot|fetch|Google-/i

const entries = aiAgents.browsers as BrowserEntry[]
const browserNames = entries.map(entry => ({
  ...entry,
  pattern: new RegExp(`(?<![A-Za-z0-9])${entry.token}(?![A-Za-z0-9])(?:/[^\\s;,()]*)?`, 'gi'),
}))

/**
 * Removes the names of devices and browsers from the user agent of a browser, so that they are not taken for programs: the
 * Android build `AP3A.240617.008`, the phone `Butterfly`, the Sogou browser.
 */
function removeBrowserNames(userAgent: string): { rest: string; removed: BrowserName[] } {
  const removed: BrowserName[] = []
  let rest = userAgent.replace(devicePattern, (text, before: string, found: string) => {
    if (programMarks.test(found)) return text
    removed.push({ found, reason: 'the name of the device' })
    return before
  })
  for (const { pattern, beside, reason, source } of browserNames) {
    if (beside !== undefined && !userAgent.includes(beside)) continue
    rest = rest.replace(pattern, found => {
      removed.push({ found, reason, source })
      return ''
    })
  }
  return { rest, removed }
}
