import { InvalidArgumentError } from 'commander'
import { agentUses } from '../analytics/agents/agent-list.ts'
import { listAssistants } from '../analytics/assistant-sites.ts'
import { toPagePath } from '../analytics/page.ts'
import { type Comparison, comparisons, findComparedRange } from '../analytics/report/compare.ts'
import type { ReportFilter } from '../analytics/report/filter-report.ts'
import type { DayRange } from '../analytics/unique-visitors.ts'
import type { VisitCountReader } from '../analytics/visit-counts.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { FlagsOf, Settings } from './setting.ts'

/** The settings that choose rows of a report, and compare it. Each call asks for others, so they have no environment variables. */
export const reportSettings = {
  path: {
    flag: '--path <prefix>',
    what: 'only pages whose path begins so, such as /docs/api',
    read: readPrefix,
  },
  page: { flag: '--page <path>', what: 'only the visitors of this page', read: text => toPagePath(readPrefix(text)) },
  agent: { flag: '--agent <name>', what: 'only this AI agent, such as ChatGPT-User' },
  class: { flag: '--class <name>', what: 'only AI agents of this class', choices: agentUses },
  assistant: {
    flag: '--assistant <name>',
    what: 'only this AI assistant, such as ChatGPT: its agents, and people who came from it',
    choices: listAssistants().map(({ assistant }) => assistant),
  },
  referrer: { flag: '--referrer <site>', what: 'only people who came from this site, such as chatgpt.com' },
  compare: {
    flag: '--compare <with>',
    what: 'compare with the days before the range, as many as it has, or with the same days of the year before; needs --from or --last-days',
    choices: comparisons,
  },
} as const satisfies Settings

type Flags = FlagsOf<typeof reportSettings>

function readPrefix(text: string): string {
  if (text.startsWith('/')) return text
  throw new InvalidArgumentError('It must begin with a slash, such as /docs/api.')
}

export function readFilter({ path, page, agent, class: use, assistant, referrer }: Flags): ReportFilter {
  return { path, page, agent, class: use, assistant, referrer }
}

/**
 * Returns the range that a table is compared with; undefined = none was asked for.
 *
 * @throws {OperatorError} when the range has no first day, or is split
 */
export async function readComparedRange(
  { compare, by }: { compare?: Comparison | undefined; by?: string | undefined },
  range: DayRange,
  reader: VisitCountReader,
  projectId: string,
): Promise<DayRange | undefined> {
  if (compare === undefined) return undefined
  if (by !== undefined) throw new OperatorError('--compare compares whole ranges: leave --by out.', 2)
  const visited = await reader.findVisitedDays(projectId)
  const compared = findComparedRange(range, compare, visited?.last ?? 0)
  if (!compared) throw new OperatorError('--compare needs a range with a first day: add --from or --last-days.', 2)
  return compared
}
