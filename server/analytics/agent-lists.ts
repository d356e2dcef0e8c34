import crawlers from 'crawler-user-agents'
import { type AgentEntry, AgentList, type ListSource } from './agent-list.ts'
import aiAgents from './ai-agents.json' with { type: 'json' }
import aiRobotsTxt from './ai-robots-txt.json' with { type: 'json' }

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
 * scanners come after all agents of AI.
 */
export const agentLists: readonly AgentList[] = [
  new AgentList(
    { name: 'ai-agents', asOf: aiAgents.asOf, url: 'server/analytics/ai-agents.json', licence: 'Apache-2.0' },
    (aiAgents.agents as OwnAgent[]).map(({ token, seen: _, ...about }) => ({ ...aiToken(token), ...about })),
    { wholeWords: true, ignoreCase: true },
  ),
  new AgentList(
    {
      name: 'ai.robots.txt',
      ...(aiRobotsTxt.commit ? { version: (aiRobotsTxt.commit as string).slice(0, 12) } : {}),
      asOf: aiRobotsTxt.asOf,
      url: 'https://github.com/ai-robots-txt/ai.robots.txt',
      licence: 'MIT',
    },
    (aiRobotsTxt.agents as ExtractedAgent[]).map(({ token, operator }) => ({
      ...aiToken(token),
      ...(operator ? { operator } : {}),
    })),
    { wholeWords: true, ignoreCase: true },
  ),
  new AgentList(crawlerUserAgents, tagged.filter(isAi).map(toEntry('ai')), { wholeWords: true }),
  new AgentList(crawlerUserAgents, tagged.filter(crawler => !isAi(crawler)).map(toEntry('neither')), {
    wholeWords: false,
  }),
]

/** Why an agent that other lists call AI, or whose name is a plain word, counts as none. */
export const notAi: readonly { token: string; reason: string; source: string; decided: string }[] = aiAgents.notAi

interface OwnAgent {
  token: string
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

function aiToken(token: string): AgentEntry {
  return { pattern: token.replaceAll(/[.+*?()[\]{}|^$\\]/g, '\\$&'), kind: 'ai', label: 'ai', name: token }
}

function toEntry(kind: 'ai' | 'neither') {
  return ({ pattern, url, tags }: { pattern: string; url?: string; tags?: string[] }): AgentEntry => ({
    pattern,
    kind,
    label: kind === 'ai' ? 'ai' : (tags?.[0] ?? 'crawler'),
    ...(url ? { source: url } : {}),
  })
}
