import type { AgentUse } from '../../server/analytics/agents/agent-list.ts'

/** The part of the `robots.json` of ai.robots.txt that is read: sentences or links about each agent. */
export type Upstream = Record<string, { operator?: unknown; function?: unknown }>

/** Content of `server/analytics/agents/ai-robots-txt.json`. */
export interface Extract {
  /** The day of the release. */
  asOf: string
  /** A commit, or a package that contains the list. */
  release: string
  agents: { token: string; operator: string | null; use: AgentUse }[]
  leftOut: { token: string; reason: string }[]
}

/** Agents that server/analytics/agents/ai-agents.json lists as not AI, in lower case, with the reasons. */
export type Decided = ReadonlyMap<string, string>

const minAgents = 50
const maxAgents = 2000

/**
 * Extracts the agents that can be recognized in a user agent: each name once, without version, and no ambiguous names.
 * Lists the omitted names with the reasons, for review.
 *
 * @throws {Error} when the number of agents shows that the input is not the list.
 */
export function extract(upstream: Upstream, decided: Decided): Pick<Extract, 'agents' | 'leftOut'> {
  const agents: Extract['agents'] = []
  const leftOut: Extract['leftOut'] = []
  const seen = new Set<string>()
  for (const [name, about] of Object.entries(upstream)) {
    const token = name.trim().replace(/[/ ]v?\d[\d.]*$/, '')
    const key = token.toLowerCase()
    if (seen.has(key)) continue
    seen.add(key)
    const reason = decidedFor(token, decided) ?? findAmbiguity(token)
    if (reason) leftOut.push({ token, reason })
    else agents.push({ token, operator: toOperator(about?.operator), use: toUse(about?.function) })
  }
  if (agents.length < minAgents || agents.length > maxAgents) {
    throw new Error(`The list has ${agents.length} agents instead of ${minAgents} to ${maxAgents}. Is it robots.json?`)
  }
  const byToken = (a: { token: string }, b: { token: string }) =>
    a.token.toLowerCase() < b.token.toLowerCase() ? -1 : 1
  return { agents: agents.sort(byToken), leftOut: leftOut.sort(byToken) }
}

function findAmbiguity(token: string): string | undefined {
  if (!/^[A-Za-z0-9][\w.+ -]{0,63}$/.test(token)) return 'not a valid name in a user agent'
  if (token.length < 4) return 'too short to be unambiguous'
  return isWord(token) ? 'a single word, which is ambiguous' : undefined
}

/**
 * Returns the reason of a decision. A decision on GoogleOther also applies to GoogleOther-Image. A decision on the word Cursor
 * does not apply to Cursor-Agent.
 */
function decidedFor(token: string, decided: Decided): string | undefined {
  const [family = token] = token.split('-')
  return decided.get(token.toLowerCase()) ?? (isWord(family) ? undefined : decided.get(family.toLowerCase()))
}

function isWord(token: string): boolean {
  return /^[A-Za-z]?[a-z]+$/.test(token) && !/[a-z]{2}(?:bot|spider|crawler)$/i.test(token)
}

/** `[Ai2](https://allenai.org/crawler)` -> `Ai2`; null when the list has no operator. */
function toOperator(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const [name = ''] = text.replace(/^\[([^\]]*)\].*$/s, '$1').split(/,|\s(?:that|to|for|used|which)\s|\s*\(/)
  return name === '' || name.length > 40 || /^(?:unclear|unknown|https?:)/i.test(name) ? null : name.trim()
}

const uses: readonly (readonly [AgentUse, RegExp])[] = [
  ['coding', /\bcoding\b/i],
  ['assistant', /\bassistants?\b|^AI agents$|\b(?:user|prompts?)\b/i],
  ['search', /\bsearch\b/i],
  ['training', /\btrain(?:ing)?\b|\bLLMs?\b|language model|machine learning|^AI data scrapers?$/i],
]

/** Returns the purpose that the list's free text names; `unknown` when it names none of ours. */
function toUse(text: unknown): AgentUse {
  return uses.find(([, pattern]) => typeof text === 'string' && pattern.test(text))?.[0] ?? 'unknown'
}
