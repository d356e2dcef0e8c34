import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Awaitable } from '../../base/awaitable.ts'
import type { StartThread } from '../../base/start-thread.ts'
import type { Sites } from '../../tenancy/site.ts'
import { ExportError, type ExportLimits, type exportSite } from '../export-site.ts'
import type { ExportProgress, Verify } from '../model/options.ts'
import type { SiteCache, SiteCaches } from '../model/site-cache.ts'
import type { BundleStore } from './bundle-store.ts'
import type { ClaimedJob, ExportJobs, Lease } from './export-job.ts'
import { removeLeftovers, sweepLeftovers, workFolderName } from './leftovers.ts'

export interface RunnerDeps {
  exportJobs: ExportJobs
  sites: Pick<Sites, 'findOwned'>
  bundles: BundleStore
  exportSite: typeof exportSite
  startThread: StartThread
  /** What exports saw of each site before; null = every export begins anew. */
  memories: SiteCaches | null
  /** Names this build of the engine. */
  engine: string
  limits: ExportLimits
  verify: Verify
  /** Scratch space, on the file system of the bundles. */
  workFolder: string
  /** Names this process in a lease. */
  owner: string
  leaseMs: number
  now(): number
  log: {
    info(details: object, message: string): void
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
}

export interface Runner {
  /** Looks for work now instead of at the next poll. */
  wake(): void
  /** Stops the work in hand, gives its lease back, and resolves when nothing is running any more. */
  stop(): Promise<void>
}

const pollMs = 1000
const reportEveryMs = 250
/** A job that ended its process this often is taken for the cause. */
const maxInterruptions = 30
/** What each stage is worth of the progress, in percent: where it begins, and where it ends. */
const stageSpans: Record<ExportProgress['stage'], [number, number]> = {
  compare: [0, 10],
  discover: [0, 0],
  fetch: [0, 80],
  render: [0, 80],
  archive: [80, 99],
}

/** Starts the loop that claims export jobs and runs them, one at a time. */
export function startRunner(deps: RunnerDeps): Runner {
  const stopping = new AbortController()
  let wake = () => {}

  const loop = async () => {
    await sweepLeftovers(deps.workFolder, deps.exportJobs).catch(error =>
      deps.log.warn({ err: error }, 'what killed exports left could not be removed'),
    )
    while (!stopping.signal.aborted) {
      let worked = false
      try {
        const claimed = await deps.exportJobs.claim(deps.owner, deps.now(), deps.leaseMs)
        if (claimed) await runJob(deps, claimed, stopping.signal)
        worked = claimed !== undefined
      } catch (error) {
        deps.log.error({ err: error }, 'the export runner could not work; it tries again')
      }
      if (!worked && !stopping.signal.aborted) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, pollMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    }
  }
  const running = loop()
  return {
    wake: () => wake(),
    async stop() {
      stopping.abort()
      wake()
      await running
    },
  }
}

async function runJob(
  deps: RunnerDeps,
  { job, lease, interruptions }: ClaimedJob,
  stopping: AbortSignal,
): Promise<void> {
  const { exportJobs, log, now } = deps
  const about = { jobId: job.jobId, domain: job.request.domain }
  if (interruptions > maxInterruptions) {
    await removeLeftovers(deps.workFolder, job.jobId)
    await exportJobs.fail(
      lease,
      `The export was cut off ${interruptions} times. Look for the cause in the server's log.`,
      now(),
    )
    return
  }
  const leaseLost = new AbortController()
  const heartbeat = setInterval(async () => {
    const held = await stillHeld(() => exportJobs.heartbeat(lease, now(), deps.leaseMs), log)
    if (!held) leaseLost.abort()
  }, deps.leaseMs / 3)
  const workFolder = join(deps.workFolder, workFolderName(job.jobId, lease.token))
  const startedAt = now()
  let memory: SiteCache | null = null
  log.info({ ...about, interruptions }, 'export started')
  try {
    await removeLeftovers(deps.workFolder, job.jobId)
    await mkdir(workFolder, { recursive: true })
    const site = await deps.sites.findOwned(job.organizationId, job.request.domain)
    if (!site)
      throw new ExportError(`The site ${job.request.domain} is registered no more. Register it and start again.`)
    memory = await openMemory(deps, site.domain)
    const fileName = `${job.jobId}.${job.request.format}`
    const outFile = join(workFolder, fileName)
    const result = await deps.exportSite({
      ...job.request,
      origin: new URL(site.origin ?? `https://${site.domain}/`),
      originAllowed: site.origin !== null,
      removal: site.removal,
      outFile,
      workFolder: join(workFolder, 'site'),
      limits: deps.limits,
      verify: job.request.verify ?? deps.verify,
      // By the job: what was seen before a kill is not asked for again.
      reuse: memory && { memory, run: job.jobId, engine: deps.engine },
      onProgress: reporter(deps, lease, leaseLost),
      signal: AbortSignal.any([stopping, leaseLost.signal]),
      startThread: deps.startThread,
      log: (details, message) => log.info({ ...about, ...details }, message),
    })
    await deps.bundles.publish(outFile, fileName)
    const { sizeBytes, sha256, pageCount } = result
    await exportJobs.complete(lease, { fileName, sizeBytes, sha256 }, pageCount, now())
    log.info({ ...about, pageCount, sizeBytes, sha256, durationMs: now() - startedAt }, 'export completed')
  } catch (error) {
    if (leaseLost.signal.aborted) return log.warn(about, 'export left to the runner that has its lease now')
    if (stopping.aborted) {
      await exportJobs.release(lease)
      return log.info(about, 'export interrupted by the shutdown; it goes on after the next start')
    }
    log.error({ ...about, err: error, durationMs: now() - startedAt }, 'export failed')
    await exportJobs.fail(lease, explainFailure(error), now())
  } finally {
    clearInterval(heartbeat)
    await memory?.close()
    await rm(workFolder, { recursive: true, force: true })
  }
}

/** Null when nothing can be remembered of the site: that makes an export slower and no different. */
async function openMemory({ memories, log }: RunnerDeps, domain: string): Promise<SiteCache | null> {
  try {
    const memory = await memories?.open(domain)
    if (memory === null)
      log.info({ domain }, 'another export uses what is remembered of the site; this one does without')
    return memory ?? null
  } catch (error) {
    log.warn({ err: error, domain }, 'what is remembered of the site cannot be used; the export goes on without')
    return null
  }
}

/** Writes progress to the job, four times a second at most. */
function reporter({ exportJobs, now, log }: RunnerDeps, lease: Lease, leaseLost: AbortController) {
  let reportedAt = 0
  return async ({ stage, pagesDone, pagesKnown, pageCount }: ExportProgress) => {
    if (now() - reportedAt < reportEveryMs) return
    reportedAt = now()
    const [begin, end] = stageSpans[stage]
    const percent = begin + (end - begin) * (pagesKnown === 0 ? 0 : pagesDone / pagesKnown)
    const held = await stillHeld(() => exportJobs.report(lease, Math.round(percent * 10) / 10, pageCount, now()), log)
    if (!held) leaseLost.abort()
  }
}

/**
 * What a write under the lease answers: whether it is held. A database that is locked or full for a while, which a store may
 * throw at once or reject, is no lost lease: the next write shows.
 */
async function stillHeld(write: () => Awaitable<boolean>, log: RunnerDeps['log']): Promise<boolean> {
  try {
    return await write()
  } catch (error) {
    log.warn({ err: error }, 'the export could not note that it goes on; it tries again')
    return true
  }
}

function explainFailure(error: unknown): string {
  if (error instanceof ExportError) return error.message
  if ((error as NodeJS.ErrnoException)?.code === 'ENOSPC')
    return 'The disk of the server is full. Free some space and start again.'
  return "The export stopped on a fault of the server. Start it again; if it fails again, the server's log has the cause under the id of this job."
}
