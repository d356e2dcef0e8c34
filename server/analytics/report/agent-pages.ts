import type { AgentUse } from '../agents/agent-list.ts'
import { parseAgentKey } from '../agents/agent-use.ts'
import { listAssistants } from '../assistant-sites.ts'
import type { AgentPages, AgentReadings } from '../visit-counts.ts'
import { compareTexts } from './failed-report.ts'

/** How many pages of the site each AI agent read, in descending order. */
export interface Coverage {
  /** Pages with visitors. */
  pages: number
  agents: { agent: string; use: AgentUse; read: number }[]
}

/** A page that an AI assistant read, or that people came to from it. */
export interface AssistantPage {
  path: string
  site: string
  assistant: string
  /** Visitors that read the page for someone who asked the assistant, or for its search; null = its readers have no name of their own. */
  ai: number | null
  /** People who followed a link in the assistant to the page. */
  human: number
}

export function reportCoverage({ agents }: Pick<AgentPages, 'agents'>, pages: number): Coverage {
  const rows = Array.from(agents, ([key, { pages }]) => ({ ...parseAgentKey(key), read: pages.length }))
  return { pages, agents: rows.sort((a, b) => b.read - a.read || compareTexts(a.agent, b.agent)) }
}

/** Joins what assistants read with the people who came from them. Sorted by people, then by AI, both in descending order, then by path. */
export async function reportAssistantPages(
  { agents, pathsOf }: AgentPages,
  referred: readonly { path: string; site: string; visitors: number }[],
): Promise<AssistantPage[]> {
  const rows: AssistantPage[] = []
  for (const { site, assistant, agents: names } of listAssistants()) {
    const people = new Map(referred.filter(row => row.site === site).map(({ path, visitors }) => [path, visitors]))
    const readings = [...agents].flatMap(([key, of]) => (names.includes(parseAgentKey(key).agent) ? of : []))
    const read = await countReaders(readings, pathsOf)
    for (const path of new Set([...read.keys(), ...people.keys()])) {
      const ai = names.length === 0 ? null : (read.get(path) ?? 0)
      rows.push({ path, site, assistant, ai, human: people.get(path) ?? 0 })
    }
  }
  return rows.sort(
    (a, b) =>
      b.human - a.human || (b.ai ?? 0) - (a.ai ?? 0) || compareTexts(a.path, b.path) || compareTexts(a.site, b.site),
  )
}

/** Counts the visitors of each page. A visitor has the user agent of one agent, so the counts of several are added. */
async function countReaders(
  readings: readonly AgentReadings[],
  pathsOf: AgentPages['pathsOf'],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { pages, visitors } of readings) {
    for (const [i, path] of (await pathsOf(pages)).entries()) {
      counts.set(path, (counts.get(path) ?? 0) + (visitors[i] as number))
    }
  }
  return counts
}
