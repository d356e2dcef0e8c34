import type { Stoppable } from '../../base/background.ts'
import type { ClockCheck } from '../../base/clock-check.ts'
import { repeat } from '../../base/timer.ts'
import type { BundleStore } from './bundle-store.ts'
import { deleteExport } from './delete-export.ts'
import { type ExportJobs, idempotencyWindowMs } from './export-job.ts'

export interface RetentionDeps {
  exportJobs: Pick<ExportJobs, 'find' | 'findEnded' | 'delete' | 'deleteOldKeys'>
  bundles: Pick<BundleStore, 'list' | 'remove'>
  /** Age at which ended exports are deleted; undefined = never. */
  retentionDays: number | undefined
  clock: ClockCheck
  now(): number
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

const everyMs = 60 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000

/** Removes bundles without a job once, and deletes old exports now and every hour. `stop` waits for the current deletion. */
export function startRetention(deps: RetentionDeps): Stoppable {
  let isStopped = false
  let hasRemovedStrays = false
  const work = async () => {
    try {
      if (!hasRemovedStrays) await removeStrays(deps)
      hasRemovedStrays = true
      if (await deps.clock.isTrusted()) await deleteOld(deps, () => isStopped)
    } catch (error) {
      deps.log.error({ err: error }, 'could not delete old exports; the next attempt follows in an hour')
    }
  }
  const repetition = repeat(everyMs, work, { startsNow: true })
  return {
    stop() {
      isStopped = true
      return repetition.stop()
    },
  }
}

/** Deletes idempotency keys that are out of date, and exports older than the retention age, one by one. */
export async function deleteOld(deps: Omit<RetentionDeps, 'clock'>, isStopped: () => boolean): Promise<void> {
  const { exportJobs, retentionDays, now, log } = deps
  await exportJobs.deleteOldKeys(now() - idempotencyWindowMs)
  if (retentionDays === undefined) return
  let deleted = 0
  for (const jobId of await exportJobs.findEnded(now() - retentionDays * dayMs, now())) {
    if (isStopped()) break
    // A link may have been created since the exports were listed.
    if ((await deleteExport(deps, jobId, { now: now(), despiteLink: false })) === 'deleted') deleted += 1
  }
  if (deleted > 0) log.info({ deleted, retentionDays }, 'deleted old exports')
}

/**
 * Removes bundles that belong to no job. Keeps bundles of running jobs, because a job publishes its bundle before it records
 * it.
 */
export async function removeStrays({ exportJobs, bundles, log }: Omit<RetentionDeps, 'clock'>): Promise<void> {
  let removed = 0
  for (const fileName of await bundles.list()) {
    // Ignore files that are not bundles.
    const jobId = /^(se_\w+)\.(?:zip|tar\.gz)$/.exec(fileName)?.[1]
    if (jobId === undefined) continue
    const job = await exportJobs.find(jobId)
    if (job && (job.status === 'running' || job.bundle?.fileName === fileName)) continue
    await bundles.remove(fileName)
    removed += 1
  }
  if (removed > 0) log.info({ removed }, 'removed bundles without an export')
}
