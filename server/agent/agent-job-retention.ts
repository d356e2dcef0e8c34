import type { AgentJobs } from './agent-job.ts'

const everyMs = 60 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000

/** Archives agent jobs by age, now and every hour; does nothing when no retention is set. */
export function startAgentJobRetention(
  agentJobs: Pick<AgentJobs, 'archiveOlderThan'>,
  retentionDays: number | undefined,
  log: { info(details: object, message: string): void; error(details: object, message: string): void },
): { stop(): void } {
  if (retentionDays === undefined) return { stop() {} }
  const archive = async () => {
    try {
      const now = Date.now()
      const archived = await agentJobs.archiveOlderThan(now - retentionDays * dayMs, now)
      if (archived > 0) log.info({ archived, retentionDays }, 'archived old agent jobs')
    } catch (error) {
      log.error({ err: error }, 'old agent jobs could not be archived; the next try is in an hour')
    }
  }
  void archive()
  const timer = setInterval(archive, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
