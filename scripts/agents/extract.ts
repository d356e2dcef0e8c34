/** What of `robots.json` of ai.robots.txt is read: who operates an agent, in a sentence or a link. */
export type Upstream = Record<string, { operator?: unknown }>

/** `server/analytics/agents/ai-robots-txt.json`. */
export interface Extract {
  /** The day of the release. */
  asOf: string
  /** A commit, or a package that carries the list. */
  release: string
  agents: { token: string; operator: string | null }[]
  leftOut: { token: string; reason: string }[]
}

/** Names of our own decisions, lower case, each with what it was decided for. */
export type Decided = ReadonlyMap<string, string>

const fewest = 50
const most = 2000

/**
 * The agents that a user agent can be told by: each name once, without its version, and no name that may stand for
 * something else. What is left out says why, so that whoever updates the list can look.
 *
 * @throws {Error} when what was given cannot be the list.
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
    const reason = decidedFor(token, decided) ?? whyNot(token)
    if (reason) leftOut.push({ token, reason })
    else agents.push({ token, operator: toOperator(about?.operator) })
  }
  if (agents.length < fewest || agents.length > most) {
    throw new Error(
      `It names ${agents.length} agents, and between ${fewest} and ${most} were expected. Is it robots.json?`,
    )
  }
  const byToken = (a: { token: string }, b: { token: string }) =>
    a.token.toLowerCase() < b.token.toLowerCase() ? -1 : 1
  return { agents: agents.sort(byToken), leftOut: leftOut.sort(byToken) }
}

function whyNot(token: string): string | undefined {
  if (!/^[A-Za-z0-9][\w.+ -]{0,63}$/.test(token)) return 'not a name that a user agent carries'
  if (token.length < 4) return 'too short to mean one thing'
  return isWord(token) ? 'a single word, which may mean something else' : undefined
}

/** What was decided of GoogleOther holds for GoogleOther-Image; what was decided of Cursor says nothing of Cursor-Agent. */
function decidedFor(token: string, decided: Decided): string | undefined {
  const [family = token] = token.split('-')
  return decided.get(token.toLowerCase()) ?? (isWord(family) ? undefined : decided.get(family.toLowerCase()))
}

function isWord(token: string): boolean {
  return /^[A-Za-z]?[a-z]+$/.test(token) && !/[a-z]{2}(?:bot|spider|crawler)$/i.test(token)
}

/** `[Ai2](https://allenai.org/crawler)` -> `Ai2`; null when the list does not know. */
function toOperator(told: unknown): string | null {
  if (typeof told !== 'string') return null
  const [name = ''] = told.replace(/^\[([^\]]*)\].*$/s, '$1').split(/,|\s(?:that|to|for|used|which)\s|\s*\(/)
  return name === '' || name.length > 40 || /^(?:unclear|unknown|https?:)/i.test(name) ? null : name.trim()
}
