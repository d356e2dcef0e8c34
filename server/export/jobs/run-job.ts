import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Awaitable } from '../../base/awaitable.ts'
import { diskFull, isDiskFull } from '../../base/disk-full.ts'
import type { StartThread } from '../../base/start-thread.ts'
import { repeat } from '../../base/timer.ts'
import type { Sites } from '../../tenancy/site.ts'
import type { ExportLimits, exportSite } from '../export-site.ts'
import { ExportError } from '../model/export-error.ts'
import type { ExportProgress, Verify } from '../model/options.ts'
import type { SharedLimits } from '../model/shared-limits.ts'
import type { SiteCache, SiteCaches } from '../model/site-cache.ts'
import type { BundleStore } from './bundle-store.ts'
import type { ClaimedJob, ExportJob, ExportJobs, Lease } from './export-job.ts'
import { removeLeftovers, workFolderName } from './leftovers.ts'
import { bundleFileName, publishBundle } from './publish-bundle.ts'
import { type Patience, repeatWhenRoom, untilStored } from './wait-for-room.ts'
import type { WorkBoard } from './work-board.ts'

/** What an attempt at a job needs. */
export interface JobDeps {
  exportJobs: ExportJobs
  sites: Pick<Sites, 'findOwned'>
  bundles: BundleStore
  exportSite: typeof exportSite
  startThread: StartThread
  /** The export cache of each site; null = no cache. */
  siteCaches: SiteCaches | null
  /** Identifies this build of the engine. */
  engine: string
  limits: ExportLimits
  verify: Verify
  allowLoss: boolean
  /** Folder for temporary files, on the same file system as the bundles. */
  workFolder: string
  leaseMs: number
  /** Where people see what the exports of this process do; absent = nobody looks. */
  workBoard?: WorkBoard
  now(): number
  log: {
    info(details: object, message: string): void
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
}

const reportEveryMs = 250
/** After this many interruptions, Quire assumes that the job itself ends the process. */
const maxInterruptions = 30
/** Progress at which each stage begins and ends, in percent. */
const stageSpans: Record<ExportProgress['stage'], [number, number]> = {
  compare: [0, 10],
  discover: [0, 0],
  fetch: [0, 80],
  render: [0, 80],
  archive: [80, 99],
}

/** One attempt at a job, under one lease. */
interface Attempt {
  job: ExportJob
  lease: Lease
  /** Identifies the job in the log. */
  about: { jobId: string; domain: string }
  workFolder: string
  leaseLost: AbortController
  /** Aborts when the lease is lost or the runner stops. */
  signal: AbortSignal
  /** The limits shared with the other exports of this process. */
  shared: SharedLimits
  /** Time of `performance.now()`, because the clock may be set while the export runs. */
  startedAt: number
}

/** Makes one attempt at a claimed job: exports the site and records the outcome. */
export async function runJob(
  deps: JobDeps,
  { job, lease, interruptions }: ClaimedJob,
  shared: SharedLimits,
  stopping: AbortSignal,
): Promise<void> {
  const { exportJobs, log, now } = deps
  const about = { jobId: job.jobId, domain: job.request.domain }
  if (interruptions > maxInterruptions) {
    await removeLeftovers(deps.workFolder, job.jobId)
    const reason = `The export was interrupted ${interruptions} times. Look for the cause in the server's log.`
    await exportJobs.fail(lease, reason, now())
    return
  }
  const leaseLost = new AbortController()
  const heartbeat = repeat(deps.leaseMs / 3, async () => {
    const held = await stillHeld(() => exportJobs.heartbeat(lease, now(), deps.leaseMs), log)
    if (!held) leaseLost.abort()
  })
  const workFolder = join(deps.workFolder, workFolderName(job.jobId, lease.token))
  const startedAt = performance.now()
  const signal = AbortSignal.any([stopping, leaseLost.signal])
  log.info({ ...about, interruptions }, 'export started')
  try {
    const attempt: Attempt = { job, lease, about, workFolder, leaseLost, signal, shared, startedAt }
    await repeatWhenRoom(() => exportJob(deps, attempt), {
      folder: deps.workFolder,
      limitMs: deps.limits.jobTimeoutMs,
      signal,
      async onFull(error) {
        log.warn({ ...about, err: error }, 'the disk is full; the export continues when there is more room')
        await rm(workFolder, { recursive: true, force: true })
      },
    })
  } catch (error) {
    if (leaseLost.signal.aborted) return log.warn(about, 'another runner has the lease of the export and continues it')
    if (stopping.aborted) {
      await exportJobs.release(lease)
      return log.info(about, 'export interrupted by the shutdown; it continues after the next start')
    }
    log.error({ ...about, err: error, durationMs: msSince(startedAt) }, 'export failed')
    await untilStored(() => exportJobs.fail(lease, explainFailure(error), now()), {
      limitMs: deps.limits.jobTimeoutMs,
      signal,
    })
  } finally {
    deps.workBoard?.end(job.jobId)
    await heartbeat.stop()
    await rm(workFolder, { recursive: true, force: true })
  }
}

/** Makes the bundle, publishes it and completes the job. */
async function exportJob(deps: JobDeps, attempt: Attempt): Promise<void> {
  const { job, lease, about, workFolder, leaseLost, signal, shared, startedAt } = attempt
  const { exportJobs, log, now } = deps
  await removeLeftovers(deps.workFolder, job.jobId)
  await mkdir(workFolder, { recursive: true })
  const site = await deps.sites.findOwned(job.organizationId, job.request.domain)
  if (!site) {
    throw new ExportError(`The site ${job.request.domain} is no longer registered. Register it and start again.`)
  }
  const fileName = bundleFileName(lease, job.request.format)
  const outFile = join(workFolder, fileName)
  const cache = await openCache(deps, site.domain)
  try {
    const { sizeBytes, sha256, pageCount } = await deps.exportSite({
      ...job.request,
      origin: new URL(site.origin ?? `https://${site.domain}/`),
      originAllowed: site.origin !== null,
      alsoAllowed: site.allowedOrigins.map(origin => new URL(origin)),
      removal: site.removal,
      outFile,
      workFolder: join(workFolder, 'site'),
      limits: deps.limits,
      verify: job.request.verify ?? deps.verify,
      allowLoss: deps.allowLoss,
      // The job id identifies the run. After a kill, the next attempt therefore does not repeat requests of this attempt.
      reuse: cache && { cache, run: job.jobId, engine: deps.engine },
      onProgress: reporter(deps, lease, leaseLost),
      signal,
      startThread: deps.startThread,
      shared,
      log: (details, message) => log.info({ ...about, ...details }, message),
    })
    leaseLost.signal.throwIfAborted()
    const bundle = { fileName, sizeBytes, sha256 }
    const patience: Patience = {
      limitMs: deps.limits.jobTimeoutMs,
      signal,
      onWait: error => log.warn({ ...about, err: error }, 'the export is finished and waits until it can be stored'),
    }
    const complete = () => untilStored(() => exportJobs.complete(lease, bundle, pageCount, now()), patience)
    if (!(await publishBundle(deps, { file: outFile, lease, bundle, complete, patience }))) {
      log.warn(
        { ...about, fileName },
        'the lease of the export was lost before it was completed; its bundle is removed',
      )
      return leaseLost.abort()
    }
    log.info({ ...about, pageCount, sizeBytes, sha256, durationMs: msSince(startedAt) }, 'export completed')
  } finally {
    await cache?.close()
  }
}

/** Opens the cache of the site; null when the cache cannot be used. The export is then slower but otherwise the same. */
async function openCache({ siteCaches, log }: JobDeps, domain: string): Promise<SiteCache | null> {
  try {
    const cache = await siteCaches?.open(domain)
    if (cache === null) log.info({ domain }, 'another export uses the cache of the site; this one works without it')
    return cache ?? null
  } catch (error) {
    log.warn({ err: error, domain }, 'the cache of the site cannot be used; the export works without it')
    return null
  }
}

/** Writes progress to the job, at most four times a second. */
function reporter({ exportJobs, workBoard, now, log }: JobDeps, lease: Lease, leaseLost: AbortController) {
  let reportedAt = Number.NEGATIVE_INFINITY
  return async (progress: ExportProgress) => {
    if (msSince(reportedAt) < reportEveryMs) return
    reportedAt = performance.now()
    const { stage, pagesDone, pagesKnown, pageCount } = progress
    const [begin, end] = stageSpans[stage]
    const percent = begin + (end - begin) * (pagesKnown === 0 ? 0 : pagesDone / pagesKnown)
    workBoard?.note(lease.jobId, progress, percent)
    const held = await stillHeld(() => exportJobs.report(lease, Math.round(percent * 10) / 10, pageCount, now()), log)
    if (!held) leaseLost.abort()
  }
}

/**
 * Returns whether the lease is still held. A write can fail because the database is temporarily locked or full. Such a
 * failure does not mean that the lease is lost; the next write decides. The store may throw synchronously or reject.
 */
async function stillHeld(write: () => Awaitable<boolean>, log: JobDeps['log']): Promise<boolean> {
  try {
    return await write()
  } catch (error) {
    log.warn({ err: error }, 'could not renew the lease of the export; it tries again')
    return true
  }
}

function explainFailure(error: unknown): string {
  if (error instanceof ExportError) return error.message
  if (isDiskFull(error)) return `${diskFull} Free some space and start again.`
  return "The export failed because of an internal server error. Start it again; if it fails again, look for the id of this job in the server's log."
}

function msSince(at: number): number {
  return Math.round(performance.now() - at)
}
