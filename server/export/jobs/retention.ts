import type { BundleStore } from './bundle-store.ts'
import type { ExportJobs } from './export-job.ts'

export interface RetentionDeps {
  exportJobs: Pick<ExportJobs, 'find' | 'findEnded' | 'delete'>
  bundles: Pick<BundleStore, 'list' | 'remove'>
  /** Age at which ended exports go; undefined = never. */
  retentionDays: number | undefined
  now(): number
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

const everyMs = 60 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000

/**
 * Deletes exports by age, now and every hour: the job first, then its bundle, so that no job is ever without one. What a
 * kill between the two leaves is removed at the start. Whoever stops it waits for the deletion under way.
 */
export function startRetention(deps: RetentionDeps): { stop(): Promise<void> } {
  const { log, retentionDays } = deps
  let isStopped = false
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, 'old exports could not be deleted; the next try is in an hour')
    }
  }
  let running = attempt(async () => {
    await removeStrays(deps)
    await deleteOld(deps, () => isStopped)
  })
  if (retentionDays === undefined) return { stop: () => running }
  const timer = setInterval(() => {
    running = running.then(() => attempt(() => deleteOld(deps, () => isStopped)))
  }, everyMs)
  timer.unref()
  return {
    stop() {
      isStopped = true
      clearInterval(timer)
      return running
    },
  }
}

/** Deletes the exports past their age, one by one. */
export async function deleteOld(deps: RetentionDeps, isStopped: () => boolean): Promise<void> {
  const { exportJobs, bundles, retentionDays, now, log } = deps
  if (retentionDays === undefined) return
  let deleted = 0
  for (const jobId of await exportJobs.findEnded(now() - retentionDays * dayMs, now())) {
    if (isStopped()) break
    // A link may have been given since they were listed.
    const gone = await exportJobs.delete(jobId, now(), false)
    if (typeof gone === 'string') continue
    if (gone.fileName !== null) await bundles.remove(gone.fileName)
    deleted += 1
  }
  if (deleted > 0) log.info({ deleted, retentionDays }, 'deleted old exports')
}

/** Removes bundles that belong to no job. That of a running one may be there a moment before the job says so. */
export async function removeStrays({ exportJobs, bundles, log }: RetentionDeps): Promise<void> {
  let removed = 0
  for (const fileName of await bundles.list()) {
    // What is no bundle is not ours.
    const jobId = /^(se_\w+)\.(?:zip|tar\.gz)$/.exec(fileName)?.[1]
    if (jobId === undefined) continue
    const job = await exportJobs.find(jobId)
    if (job && (job.status === 'running' || job.bundle?.fileName === fileName)) continue
    await bundles.remove(fileName)
    removed += 1
  }
  if (removed > 0) log.info({ removed }, 'removed bundles that no export has')
}
