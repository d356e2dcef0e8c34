import type { ExportJob, ExportJobs } from '../../../server/export/jobs/export-job.ts'
import type { ExtensionDeps } from '../../../server/operations/extensions/deps.ts'
import { packSite } from './bundle-site.ts'
import type { ChangedNouns } from './extensions.ts'
import { listAfter } from './list-page.ts'
import type { Scenario } from './scenarios.ts'

export interface ExportMemory extends Pick<ExtensionDeps['exportJobs'], 'listPage'> {
  changes: ChangedNouns['exportJobs']
  /** The methods that handlers use, for jobs that are started in this scenario. */
  in(scenario: Scenario): Pick<ExportJobs, 'start' | 'findOwned' | 'find' | 'noteLink'>
}

/** A job whose state depends only on the time. */
interface ScriptedJob {
  job: ExportJob
  outcome: 'completed' | 'failed'
  queuedSeconds: number
  runningSeconds: number
  pages: number
  /** The job as it was cancelled; undefined = it was not. */
  cancelled?: ExportJob
}

/** A failing export ends when this part of its work is done. */
const failsAt = 0.4

/** Keeps export jobs in memory. They move by themselves with the time. */
export function createExportMemory(organizationId: string, now: () => number): ExportMemory {
  const jobs = new Map<string, ScriptedJob>()
  const linkedUntil = new Map<string, number>()
  const keys = new Map<string, { jobId: string; request: string; createdAt: number }>()
  let started = 0
  for (const job of listExampleJobs(organizationId, now())) jobs.set(job.job.jobId, job)

  function find(jobId: string): ExportJob | undefined {
    const scripted = jobs.get(jobId)
    return scripted && (scripted.cancelled ?? play(scripted, now()))
  }

  function findOwned(organization: string, jobId: string): ExportJob | undefined {
    const job = find(jobId)
    return job?.organizationId === organization ? job : undefined
  }

  return {
    listPage(organization, { domain, status, ...page }) {
      const owned = [...jobs.keys()].flatMap(jobId => findOwned(organization, jobId) ?? [])
      const isWanted = (job: ExportJob) =>
        (domain === undefined || job.request.domain === domain) && (status === undefined || job.status === status)
      return listAfter(owned.filter(isWanted), ({ jobId }) => jobId, page)
    },
    changes: {
      cancel(jobId, error, at) {
        const scripted = jobs.get(jobId)
        const job = find(jobId)
        if (!scripted || (job?.status !== 'queued' && job?.status !== 'running')) return false
        jobs.set(jobId, { ...scripted, cancelled: { ...job, status: 'failed', error, updatedAt: at } })
        return true
      },
      delete(jobId, at, despiteLink) {
        const job = find(jobId)
        if (!job) return 'unknown'
        if (job.status === 'queued' || job.status === 'running') return 'open'
        if (!despiteLink && (linkedUntil.get(jobId) ?? 0) > at) return 'linked'
        jobs.delete(jobId)
        for (const [name, key] of keys) if (key.jobId === jobId) keys.delete(name)
        return { fileName: job.bundle?.fileName ?? null }
      },
    },
    in: scenario => ({
      find,
      findOwned,
      noteLink(jobId, expiresAt) {
        linkedUntil.set(jobId, Math.max(expiresAt, linkedUntil.get(jobId) ?? 0))
        return jobs.has(jobId)
      },
      start(job, idempotencyKey, keysSince, maxQueued = Number.POSITIVE_INFINITY) {
        const name = `${job.organizationId} ${idempotencyKey}`
        const request = JSON.stringify(job.request)
        const used = idempotencyKey === undefined ? undefined : keys.get(name)
        if (used && used.createdAt >= keysSince) {
          const before = find(used.jobId)
          return used.request === request && before ? { job: before, isReplayed: true } : 'conflict'
        }
        const own = [...jobs.keys()].map(find).filter(other => other?.status === 'queued')
        const queued = own.length + scenario.otherQueuedExports
        if (queued >= maxQueued) return { queued }
        jobs.set(job.jobId, writeScript(job, scenario, started++))
        if (idempotencyKey !== undefined) keys.set(name, { jobId: job.jobId, request, createdAt: now() })
        return { job, isReplayed: false }
      },
    }),
  }
}

function writeScript(job: ExportJob, scenario: Scenario, turn: number): ScriptedJob {
  const { exportOutcomes, queuedSeconds, runningSeconds, sitePages } = scenario
  const outcome = exportOutcomes[turn % exportOutcomes.length] ?? 'completed'
  return { job, outcome, queuedSeconds, runningSeconds, pages: job.request.paths?.length ?? sitePages }
}

/** Returns a job as it is at a time. Progress is reported once a second, as by the server. */
function play({ job, outcome, queuedSeconds, runningSeconds, pages }: ScriptedJob, now: number): ExportJob {
  const end = queuedSeconds + (outcome === 'failed' ? runningSeconds * failsAt : runningSeconds)
  const seconds = Math.min(Math.floor((now - job.createdAt) / 1000), end)
  if (seconds < queuedSeconds) return job
  const done = runningSeconds === 0 ? 1 : (seconds - queuedSeconds) / runningSeconds
  const part = outcome === 'failed' ? Math.min(done, failsAt) : done
  const moved: ExportJob = {
    ...job,
    status: 'running',
    progress: Math.round(part * 1000) / 10,
    pageCount: Math.floor(part * pages),
    updatedAt: job.createdAt + Math.round(seconds * 1000),
  }
  if (seconds < end) return moved
  return outcome === 'failed' ? fail(moved) : complete(moved)
}

function fail(job: ExportJob): ExportJob {
  const error = `${job.request.domain} did not answer within 30 seconds. Check the origin of the site and start again.`
  return { ...job, status: 'failed', error }
}

function complete(job: ExportJob): ExportJob {
  const { format } = job.request
  const { bytes, sha256 } = packSite(format)
  return {
    ...job,
    status: 'completed',
    bundle: { fileName: `${job.jobId}.${format}`, sizeBytes: bytes.length, sha256 },
  }
}

/** The jobs of the examples of the document, which ended a minute ago. */
function listExampleJobs(organizationId: string, now: number): ScriptedJob[] {
  const examples = [
    { jobId: 'se_0f3c9a1b2d4e5f60', format: 'zip', outcome: 'completed' },
    { jobId: 'se_b8e2f4a60c1d3579', format: 'tar.gz', outcome: 'completed' },
    { jobId: 'se_7a1d0c3b5e6f9824', format: 'zip', outcome: 'failed' },
  ] as const
  return examples.map(({ jobId, format, outcome }) => ({
    job: {
      jobId,
      organizationId,
      request: {
        domain: 'docs.example.com',
        version: null,
        paths: null,
        deployment: 'air-gapped',
        features: { search: false, assistant: false, analytics: false, playground: false },
        offlineSearch: false,
        verify: null,
        format,
      },
      status: 'queued',
      progress: 0,
      pageCount: 0,
      error: null,
      createdAt: now - 60_000,
      updatedAt: now - 60_000,
      bundle: null,
    },
    outcome,
    queuedSeconds: 2,
    runningSeconds: 50,
    pages: 526,
  }))
}
