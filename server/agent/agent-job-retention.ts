import type { Stoppable } from '../base/background.ts'
import type { ClockCheck } from '../base/clock-check.ts'
import { repeat } from '../base/timer.ts'
import type { AgentJobs } from './agent-job.ts'

const everyMs = 60 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000

export interface AgentJobRetention {
  agentJobs: Pick<AgentJobs, 'archiveOlderThan'>
  /** Age at which completed and failed jobs are archived; undefined = never. */
  retentionDays: number | undefined
  clock: ClockCheck
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

/** Archives old agent jobs now and every hour. Does nothing if no retention is set. */
export function startAgentJobRetention({ agentJobs, retentionDays, clock, log }: AgentJobRetention): Stoppable {
  if (retentionDays === undefined) return { stop() {} }
  const archive = async () => {
    try {
      if (!(await clock.isTrusted())) return
      const now = Date.now()
      const archived = await agentJobs.archiveOlderThan(now - retentionDays * dayMs, now)
      if (archived > 0) log.info({ archived, retentionDays }, 'archived old agent jobs')
    } catch (error) {
      log.error({ err: error }, 'could not archive old agent jobs; the next attempt follows in an hour')
    }
  }
  return repeat(everyMs, archive, { startsNow: true })
}
