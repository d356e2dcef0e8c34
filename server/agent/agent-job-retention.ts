import type { Stoppable } from '../base/background.ts'
import { repeat } from '../base/timer.ts'
import type { AgentJobs } from './agent-job.ts'

const everyMs = 60 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000

/** Archives old agent jobs now and every hour. Does nothing if no retention is set. */
export function startAgentJobRetention(
  agentJobs: Pick<AgentJobs, 'archiveOlderThan'>,
  retentionDays: number | undefined,
  log: { info(details: object, message: string): void; error(details: object, message: string): void },
): Stoppable {
  if (retentionDays === undefined) return { stop() {} }
  const archive = async () => {
    try {
      const now = Date.now()
      const archived = await agentJobs.archiveOlderThan(now - retentionDays * dayMs, now)
      if (archived > 0) log.info({ archived, retentionDays }, 'archived old agent jobs')
    } catch (error) {
      log.error({ err: error }, 'could not archive old agent jobs; the next attempt follows in an hour')
    }
  }
  return repeat(everyMs, archive, { startsNow: true })
}
