import { formatDay, parseDay, toDay } from '../../analytics/day.ts'
import { validDays } from '../../analytics/import/agent-addresses.ts'
import { type AgentOperator, publishedOperators } from '../../analytics/import/agent-ranges.ts'
import { type Finding, ok, warn } from './finding.ts'

/** Compares the dates of the addresses of AI agents with the clock. */
export function checkAgents(now: number, operators: readonly AgentOperator[] = publishedOperators): Finding {
  const today = toDay(now)
  const lists = operators.flatMap(({ lists }) => lists)
  const old = lists.filter(({ asOf }) => today - (parseDay(asOf) ?? 0) > validDays)
  const [oldest = ''] = lists.map(({ asOf }) => asOf).sort()
  if (old.length === 0) return ok('agents', `The addresses of AI agents are of ${oldest} or newer.`)
  return warn(
    'agents',
    `The addresses of ${old.flatMap(({ names }) => names).join(', ')} are older than ${formatDay(today - validDays)}: requests that only claim these names count as AI.`,
    'Install a newer version of Quire, or fetch the addresses in a clone: npm run -s update-agents -- --ranges',
  )
}
