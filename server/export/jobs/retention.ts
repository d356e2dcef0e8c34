import type { Stoppable } from '../../base/background.ts'
import type { ClockCheck } from '../../base/clock-check.ts'
import { dayMs } from '../../base/day-ms.ts'
import type { Exclusively } from '../../base/exclusively.ts'
import { repeat } from '../../base/timer.ts'
import type { BundleStore } from './bundle-store.ts'
import { deleteExport } from './delete-export.ts'
import { type ExportJobs, idempotencyWindowMs } from './export-job.ts'
import { judgeBundle, moveStrays, type StrayDeps } from './strays.ts'

export interface RetentionDeps extends StrayDeps {
  exportJobs: Pick<ExportJobs, 'find' | 'findEnded' | 'delete' | 'deleteOldKeys'>
  bundles: Pick<BundleStore, 'list' | 'announceRemoval' | 'remove' | 'setAside' | 'removeAbandoned'>
  /** Age at which ended exports are deleted; undefined = never. */
  retentionDays: number | undefined
  clock: ClockCheck
  exclusively: Exclusively
  now(): number
  log: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>
}

const everyMs = 60 * 60 * 1000
/** No upload and no removal takes longer. */
const maxWorkMs = dayMs

/**
 * Moves what belongs to no job to the lost folder once, deletes old exports now and every hour, and what interrupted uploads and
 * removals left now and every day. `stop` waits for the current deletion.
 */
export function startRetention(deps: RetentionDeps): Stoppable {
  const stopping = new AbortController()
  const { signal } = stopping
  let hasMovedStrays = false
  let nextSearchAt = 0
  const work = async () => {
    if (!hasMovedStrays) await moveStrays(deps)
    hasMovedStrays = true
    if (!(await deps.clock.isTrusted())) return
    await deleteOld(deps, () => signal.aborted)
    if (signal.aborted || deps.now() < nextSearchAt) return
    await removeAbandoned(deps, signal)
    nextSearchAt = deps.now() + dayMs
  }
  const repetition = repeat(everyMs, async () => deps.exclusively('export retention', work), {
    startsNow: true,
    onError(err) {
      if (signal.aborted && err === signal.reason) return
      deps.log.error({ err }, 'could not delete old exports; the next attempt follows in an hour')
    },
  })
  return {
    stop() {
      stopping.abort()
      return repetition.stop()
    },
  }
}

/**
 * Removes what interrupted uploads and removals left in the storage at least a day ago.
 *
 * @param signal ends the work before the next archive; then its reason is thrown.
 */
export async function removeAbandoned(
  { bundles, exportJobs, now, log }: Omit<RetentionDeps, 'clock' | 'exclusively'>,
  signal?: AbortSignal,
): Promise<void> {
  const removed = await bundles.removeAbandoned?.(now() - maxWorkMs, async name => {
    signal?.throwIfAborted()
    return judgeBundle(exportJobs, name)
  })
  if (removed) log.info({ removed }, 'removed what interrupted uploads and deletions had left in the storage')
}

/** Deletes idempotency keys that are out of date, and exports older than the retention age, one by one. */
export async function deleteOld(
  deps: Omit<RetentionDeps, 'clock' | 'exclusively'>,
  isStopped: () => boolean,
): Promise<void> {
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
