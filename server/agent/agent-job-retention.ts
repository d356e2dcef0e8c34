import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Stoppable } from '../base/background.ts'
import type { ClockCheck } from '../base/clock-check.ts'
import { dayMs } from '../base/day-ms.ts'
import type { Exclusively } from '../base/exclusively.ts'
import { repeat } from '../base/timer.ts'
import type { AgentJobs } from './agent-job.ts'

const everyMs = 60 * 60 * 1000
/** Jobs of one transaction, so that requests are answered in between. */
const batchJobs = 1000

export interface AgentJobRetention {
  exclusively: Exclusively
  agentJobs: Pick<AgentJobs, 'archiveOlderThan'>
  /** Age at which completed and failed jobs are archived; undefined = never. */
  retentionDays: number | undefined
  clock: ClockCheck
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

/** Archives old agent jobs now and every hour. Does nothing if no retention is set. */
export function startAgentJobRetention(options: AgentJobRetention): Stoppable {
  const { agentJobs, retentionDays, exclusively, clock, log } = options
  if (retentionDays === undefined) return { stop() {} }
  let isStopped = false
  const archive = async () => {
    if (!(await clock.isTrusted())) return
    const now = Date.now()
    let archived = 0
    for (let batch = batchJobs; batch === batchJobs && !isStopped; archived += batch) {
      batch = await agentJobs.archiveOlderThan(now - retentionDays * dayMs, now, batchJobs)
      await nextTurn()
    }
    if (archived > 0) log.info({ archived, retentionDays }, 'archived old agent jobs')
  }
  const repetition = repeat(everyMs, async () => exclusively('agent job retention', archive), {
    startsNow: true,
    onError: err => log.error({ err }, 'could not archive old agent jobs; the next attempt follows in an hour'),
  })
  return {
    stop() {
      isStopped = true
      return repetition.stop()
    },
  }
}
