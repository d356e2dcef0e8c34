import crawlers from 'crawler-user-agents'
import { type AgentEntry, AgentList, type ListSource } from './agent-list.ts'
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

/** Asked last, and only whether it takes the user agent for a program at all. */
export const isbotList: ListSource = {
  name: 'isbot',
  version: '5.2.3',
  asOf: '2026-11-09',
  url: 'https://github.com/omrilotan/isbot',
  licence: 'Unlicense',
}

// The types of the package lack the tags in their ES module form.
const tagged: readonly { pattern: string; url?: string; tags?: string[] }[] = crawlers
const isAi = ({ tags }: { tags?: string[] }) => tags?.includes('ai-crawler') ?? false

/**
 * Who is asked, in this order; the first list that knows a user agent decides. Our own is first because its entries were
 * read one by one and say who operates an agent. Search engines, SEO, previews, monitors, feed readers, libraries and
 * scanners come after all agents of AI, and last the browsers that isbot mistakes for programs.
 */
export const agentLists: readonly AgentList[] = [
  new AgentList(
    own,
    (aiAgents.agents as OwnAgent[]).map(({ token, exact, seen: _, ...about }) => ({
      ...toToken(token, exact),
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
    (aiRobotsTxt.agents as ExtractedAgent[]).map(({ token, operator }) => ({
      ...toToken(token),
      kind: 'ai',
      label: 'ai',
      ...(operator ? { operator } : {}),
    })),
    { wholeWords: true, ignoreCase: true },
  ),
  new AgentList(crawlerUserAgents, tagged.filter(isAi).map(toEntry('ai')), { wholeWords: true }),
  new AgentList(crawlerUserAgents, tagged.filter(crawler => !isAi(crawler)).map(toEntry('neither')), {
    wholeWords: false,
  }),
  new AgentList(
    own,
    aiAgents.browsers.map(({ token, reason, source }) => ({
      ...toToken(token),
      kind: 'human',
      label: 'browser',
      source,
      note: reason,
    })),
    { wholeWords: true, ignoreCase: true },
  ),
]

/** Agents that other lists call AI, or whose names are plain words, and that count as none; their notes say why. */
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
  /** The token is the whole user agent, not a word of it. */
  exact?: boolean
  /** What to call it, when not by its token. */
  name?: string
  use: string
  operator: string
  source: string
  seen: string
  note?: string
}

interface ExtractedAgent {
  token: string
  operator: string | null
}

function toToken(token: string, exact = false): { pattern: string; name: string } {
  const pattern = token.replaceAll(/[.+*?()[\]{}|^$\\]/g, '\\$&')
  return { pattern: exact ? `^${pattern}$` : pattern, name: token }
}

function toEntry(kind: 'ai' | 'neither') {
  return ({ pattern, url, tags }: { pattern: string; url?: string; tags?: string[] }): AgentEntry => ({
    pattern,
    kind,
    label: kind === 'ai' ? 'ai' : (tags?.[0] ?? 'crawler'),
    ...(url ? { source: url } : {}),
  })
}
