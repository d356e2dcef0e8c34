import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Awaitable } from '../../base/awaitable.ts'
import { diskFull, isDiskFull } from '../../base/disk-full.ts'
import { browserStarts, type EndedExport, endedExports } from '../../base/measures.ts'
import { repeat } from '../../base/timer.ts'
import { type Patience, untilStored } from '../../base/until-stored.ts'
import type { Sites } from '../../tenancy/site.ts'
import { ExportError } from '../model/export-error.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { Crowd, ExportProgress, ExportTask, RunExport, Verify } from '../model/options.ts'
import type { CacheSettings } from '../model/site-cache.ts'
import type { BrowserAlarm } from './browser-alarm.ts'
import type { BundleStore } from './bundle-store.ts'
import { type CompareBundles, countChanges } from './count-changes.ts'
import type { ClaimedJob, ExportJob, ExportJobs, Lease } from './export-job.ts'
import type { GivenBack } from './given-back.ts'
import { type LoginDeps, openJobLogin } from './job-login.ts'
import { removeLeftovers, workFolderName } from './leftovers.ts'
import { publishBundle } from './publish-bundle.ts'
import { repeatWhenRoom } from './wait-for-room.ts'
import { createWorkBoard, type WorkBoard } from './work-board.ts'

/** What an attempt at a job needs. */
export interface JobDeps extends LoginDeps {
  exportJobs: ExportJobs
  sites: Pick<Sites, 'findOwned'>
  bundles: BundleStore
  runExport: RunExport
  /** The caches of the sites; null = no cache. */
  cache: CacheSettings | null
  /** Identifies this build of the engine. */
  engine: string
  limits: ExportLimits
  verify: Verify
  allowLoss: boolean
  allowNoSandbox: boolean
  /** Folder for temporary files, on the same file system as the bundles. */
  workFolder: string
  leaseMs: number
  browserAlarm: BrowserAlarm
  /** Absent = exports are not compared with those before them. */
  compareBundles?: CompareBundles
  /** The jobs that are left to runners with a browser; null = there are no other runners. */
  givenBack: GivenBack | null
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
/** After this many interruptions, Quire assumes that the job itself ends the server. */
const maxInterruptions = 30
/** A process that crashed or stalled may have had bad luck once, such as a machine without memory. */
const maxFaults = 2
/** How long a runner may not notice that its job was cancelled. */
const maxHeartbeatMs = 2000

/** The host of the site of each export that this server works on, by job id. */
export type RunningHosts = Map<string, string>

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
  hosts: RunningHosts
  /** Time of `performance.now()`, because the clock may be set while the export runs. */
  startedAt: number
}

/** Makes one attempt at a claimed job: exports the site and records the outcome. */
export async function runJob(
  deps: JobDeps,
  { job, lease, interruptions, faults }: ClaimedJob,
  hosts: RunningHosts,
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
  const heartbeat = repeat(Math.min(deps.leaseMs / 3, maxHeartbeatMs), async () => {
    const held = await stillHeld(() => exportJobs.heartbeat(lease, now(), deps.leaseMs), log)
    if (!held) leaseLost.abort()
  })
  const workFolder = join(deps.workFolder, workFolderName(job.jobId, lease.token))
  const startedAt = performance.now()
  const signal = AbortSignal.any([stopping, leaseLost.signal])
  log.info({ ...about, interruptions, faults }, 'export started')
  const attempt: Attempt = { job, lease, about, workFolder, leaseLost, signal, hosts, startedAt }
  try {
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
    await endInVain(deps, attempt, { error, mayRepeat: faults + 1 < maxFaults, isStopping: stopping.aborted })
  } finally {
    hosts.delete(job.jobId)
    deps.workBoard?.end(job.jobId)
    await heartbeat.stop()
    await rm(workFolder, { recursive: true, force: true })
  }
}

/** Gives the job back, or fails it. */
async function endInVain(
  deps: JobDeps,
  attempt: Attempt,
  { error, mayRepeat, isStopping }: { error: unknown; mayRepeat: boolean; isStopping: boolean },
): Promise<void> {
  const { exportJobs, log, now } = deps
  const { lease, about, leaseLost, signal, startedAt } = attempt
  if (leaseLost.signal.aborted) return noteLoss(deps, attempt)
  if (isFault(error) && mayRepeat) {
    log.warn({ ...about, err: error }, 'the process of the export ended; the export starts once more')
    tellOfEnd(attempt, 'given back', error)
    await exportJobs.release(lease, true)
    return
  }
  if (isStopping && !isFault(error)) {
    await exportJobs.release(lease)
    tellOfEnd(attempt, 'given back', error)
    return log.info(about, 'export interrupted by the shutdown; it continues after the next start')
  }
  if (lacksBrowser(error)) {
    deps.browserAlarm(error.message)
    if (deps.givenBack?.add(lease.jobId)) {
      log.warn({ ...about, err: error }, 'the export needs a browser; it is left to another runner')
      tellOfEnd(attempt, 'given back', error)
      await exportJobs.release(lease)
      return
    }
  }
  log.error({ ...about, err: error, durationMs: msSince(startedAt) }, 'export failed')
  tellOfEnd(attempt, 'failed', error)
  await untilStored(() => exportJobs.fail(lease, explainFailure(error, about.domain), now()), {
    limitMs: deps.limits.jobTimeoutMs,
    signal,
  })
}

/** Makes the bundle, publishes it and completes the job. */
async function exportJob(deps: JobDeps, attempt: Attempt): Promise<void> {
  const { job, lease, about, workFolder, leaseLost, signal, hosts, startedAt } = attempt
  const { exportJobs, log, now } = deps
  await removeLeftovers(deps.workFolder, job.jobId)
  await mkdir(workFolder, { recursive: true })
  const site = await deps.sites.findOwned(job.organizationId, job.request.domain)
  if (!site) {
    throw new ExportError(`The site ${job.request.domain} is no longer registered. Register it and start again.`)
  }
  const fileName = bundleFileName(lease, job.request.format)
  const outFile = join(workFolder, fileName)
  const origin = new URL(site.origin ?? `https://${site.domain}/`)
  hosts.set(job.jobId, origin.host)
  const task: ExportTask = {
    ...job.request,
    origin,
    originAllowed: site.origin !== null,
    alsoAllowed: site.allowedOrigins.map(origin => new URL(origin)),
    removal: site.removal,
    login: await openJobLogin(deps, site.domain, ending => log.warn(about, ending)),
    outFile,
    workFolder: join(workFolder, 'site'),
    limits: deps.limits,
    verify: job.request.verify ?? deps.verify,
    allowLoss: deps.allowLoss,
    allowNoSandbox: deps.allowNoSandbox,
    // The job id identifies the run. After a kill, the next attempt therefore does not repeat requests of this attempt.
    reuse: deps.cache && { cache: deps.cache, run: job.jobId, engine: deps.engine },
  }
  const { sizeBytes, sha256, pageCount, browserProblem } = await deps.runExport(task, {
    onProgress: reporter(deps, lease, leaseLost),
    signal,
    crowd: () => countCrowd(hosts, origin.host),
    log: (details, message) => log.info({ ...about, ...details }, message),
    warn: (details, message) => log.warn({ ...about, ...details }, message),
  })
  if (browserProblem === null) browserStarts.tell(true)
  else deps.browserAlarm(browserProblem)
  leaseLost.signal.throwIfAborted()
  const bundle = { fileName, sizeBytes, sha256 }
  const patience: Patience = {
    limitMs: deps.limits.jobTimeoutMs,
    signal,
    onWait: error => log.warn({ ...about, err: error }, 'the export is finished and waits until it can be stored'),
  }
  const complete = async () => {
    const changes = await countChanges(deps, job, bundle, signal)
    return untilStored(() => exportJobs.complete(lease, bundle, pageCount, now(), changes), patience)
  }
  if (!(await publishBundle(deps, { file: outFile, lease, bundle, complete, patience }))) {
    log.warn({ ...about, fileName }, 'the lease of the export was lost before it was completed; its bundle is removed')
    return leaseLost.abort()
  }
  log.info({ ...about, pageCount, sizeBytes, sha256, durationMs: msSince(startedAt) }, 'export completed')
  tellOfEnd(attempt, 'completed')
}

function tellOfEnd({ startedAt }: Attempt, result: EndedExport['result'], error?: unknown): void {
  const reason = error === undefined ? '' : error instanceof ExportError ? error.code : 'internal'
  endedExports.tell({ result, reason, seconds: msSince(startedAt) / 1000 })
}

function countCrowd(hosts: RunningHosts, host: string): Crowd {
  return { exports: hosts.size, onHost: [...hosts.values()].filter(other => other === host).length }
}

/** Says why the lease of the job is void. */
async function noteLoss({ exportJobs, log }: JobDeps, { job, about }: Attempt): Promise<void> {
  const { status, error } = (await exportJobs.find(job.jobId)) ?? {}
  if (status === 'failed')
    log.info({ ...about, error }, 'the job has ended: it was cancelled, or another runner failed it')
  else log.warn(about, 'another runner has the lease of the export and continues it')
}

/** Whether the process of the export ended without an answer. */
function isFault(error: unknown): boolean {
  return error instanceof ExportError && (error.code === 'crashed' || error.code === 'stalled')
}

/** Whether the site needs a browser, and this machine has none that starts. */
function lacksBrowser(error: unknown): error is ExportError {
  return error instanceof ExportError && (error.code === 'browser_failed' || error.code === 'browser_missing')
}

/** Writes progress to the job, at most four times a second. */
function reporter(deps: JobDeps, lease: Lease, leaseLost: AbortController) {
  const { exportJobs, workBoard = createWorkBoard(), now, log } = deps
  let reportedAt = Number.NEGATIVE_INFINITY
  return async (progress: ExportProgress) => {
    const percent = workBoard.note(lease.jobId, progress)
    if (msSince(reportedAt) < reportEveryMs) return
    reportedAt = performance.now()
    const rounded = Math.round(percent * 10) / 10
    const held = await stillHeld(() => exportJobs.report(lease, rounded, progress.pageCount, now()), log)
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

function explainFailure(error: unknown, domain: string): string {
  // Whoever reads the job is not who can mend the server, and need not know its paths.
  if (error instanceof ExportError && error.code === 'browser_failed')
    return `${domain} builds its pages in the browser, and Chromium cannot be started on this server. Its operator must act: npx quire doctor says why.`
  if (error instanceof ExportError) return error.message
  if (isDiskFull(error)) return `${diskFull} Free some space and start again.`
  return "The export failed because of an internal server error. Start it again; if it fails again, look for the id of this job in the server's log."
}

function msSince(at: number): number {
  return Math.round(performance.now() - at)
}

/**
 * Returns the file name of a bundle. Each lease has its own name, so a runner whose lease is void cannot replace the bundle of
 * its successor.
 */
function bundleFileName({ jobId, token }: Pick<Lease, 'jobId' | 'token'>, format: string): string {
  return `${jobId}-${token}.${format}`
}
