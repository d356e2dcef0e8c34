import crawlers from 'crawler-user-agents'
import { type AgentEntry, AgentList, type AgentUse, type ListSource } from './agent-list.ts'
import aiAgents from './ai-agents.json' with { type: 'json' }
import aiRobotsTxt from './ai-robots-txt.json' with { type: 'json' }

const own: ListSource = {
  name: 'ai-agents',
  asOf: aiAgents.asOf,
  url: 'server/analytics/agents/ai-agents.json',
  licence: 'Apache-2.0',
}

const crawlerUserAgents: ListSource = {
  name: 'crawler-user-agents',
  version: '1.60.0',
  asOf: '2026-08-10',
  url: 'https://github.com/monperrus/crawler-user-agents',
  licence: 'MIT',
}

// The package's ES module types lack `tags`.
const tagged: readonly { pattern: string; url?: string; tags?: string[] }[] = crawlers
const isAi = ({ tags }: { tags?: string[] }) => tags?.includes('ai-crawler') ?? false

/**
 * The lists of AI agents in order of precedence: the first one that matches a user agent decides. Quire's own list is first
 * because its entries were checked one by one and name the operator.
 */
export const aiLists: readonly AgentList[] = [
  new AgentList(
    own,
    (aiAgents.agents as OwnAgent[]).map(({ token, exact, first, seen: _, ...about }) => ({
      ...toToken(token, { exact, first }),
      kind: 'ai',
      label: 'ai',
      ...about,
    })),
    { wholeWords: true, ignoreCase: true },
  ),
  new AgentList(
    {
      name: 'ai.robots.txt',
      ...(aiRobotsTxt.release ? { version: aiRobotsTxt.release } : {}),
      asOf: aiRobotsTxt.asOf,
      url: 'https://github.com/ai-robots-txt/ai.robots.txt',
      licence: 'MIT',
    },
    (aiRobotsTxt.agents as ExtractedAgent[]).map(({ token, operator, use }) => ({
      ...toToken(token),
      kind: 'ai',
      label: 'ai',
      use,
      ...(operator ? { operator } : {}),
    })),
    { wholeWords: true, ignoreCase: true },
  ),
  new AgentList(crawlerUserAgents, tagged.filter(isAi).map(toEntry('ai')), { wholeWords: true }),
]

/** Search engines, SEO tools, previews, monitors, feed readers, libraries and scanners. Searched after all AI agents. */
export const programLists: readonly AgentList[] = [
  new AgentList(crawlerUserAgents, tagged.filter(crawler => !isAi(crawler)).map(toEntry('neither')), {
    wholeWords: false,
  }),
  new AgentList(
    own,
    aiAgents.programs.map(({ token, label, source }) => ({ ...toToken(token), kind: 'neither', label, source })),
    { wholeWords: true, ignoreCase: true },
  ),
]

/** Agents that do not count as AI, although other lists call them AI or their names are plain words. See the notes. */
export const notAi = new AgentList(
  own,
  aiAgents.notAi.map(({ token, reason, source, decided }) => ({
    ...toToken(token),
    kind: 'neither',
    label: 'not-ai',
    source,
    note: `${token} is not counted as AI: ${reason} (decided ${decided}, ${source}).`,
  })),
  { wholeWords: true, ignoreCase: true },
)

interface OwnAgent {
  token: string
  /** Whether the token must be the entire user agent, not one of its words. */
  exact?: boolean
  /** Whether the token must be the first word of the user agent, because it is a plain word. */
  first?: boolean
  /** Display name; defaults to the token. */
  name?: string
  use: AgentUse
  operator: string
  source: string
  seen: string
  note?: string
}

interface ExtractedAgent {
  token: string
  operator: string | null
  use: AgentUse
}

function toToken(token: string, { exact = false, first = false } = {}): { pattern: string; name: string } {
  const pattern = token.replaceAll(/[.+*?()[\]{}|^$\\]/g, '\\$&')
  return { pattern: `${exact || first ? '^' : ''}${pattern}${exact ? '$' : ''}`, name: token }
}

function toEntry(kind: 'ai' | 'neither') {
  return ({ pattern, url, tags }: { pattern: string; url?: string; tags?: string[] }): AgentEntry => ({
    pattern,
    kind,
    label: kind === 'ai' ? 'ai' : (tags?.[0] ?? 'crawler'),
    // The tags tell AI from the rest, but not the purpose.
    ...(kind === 'ai' ? { use: 'unknown' } : {}),
    ...(url ? { source: url } : {}),
  })
}
