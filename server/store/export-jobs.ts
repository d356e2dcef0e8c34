import { digestJson } from '../base/digest.ts'
import { maxLinkTtlSeconds } from '../export/jobs/bundle-link.ts'
import type { ExportJobs } from '../export/jobs/export-job.ts'
import { auditLog } from './audit-log.ts'
import { type ExportJobRow, toExportJob } from './export-job-row.ts'
import type { Leased } from './export-leases.ts'
import { deleteKeysOfJob, deleteOldKeys, findKey, putKey } from './idempotency-keys.ts'
import { all, atomic, get, run, sql, type Works } from './noun.ts'

/** If a link expires later than this after now, the clock was set back after the link was made. */
const maxLinkMs = maxLinkTtlSeconds * 1000

const find = sql<{ jobId: string }, ExportJobRow>('SELECT * FROM export_jobs WHERE job_id = @jobId')
const findOwned = sql<{ organizationId: string; jobId: string }, ExportJobRow>(
  'SELECT * FROM export_jobs WHERE job_id = @jobId AND organization_id = @organizationId',
)
const list = sql<{ organizationId: string | null; limit: number }, ExportJobRow>(
  `SELECT * FROM export_jobs WHERE CAST(@organizationId AS text) IS NULL OR organization_id = @organizationId
   ORDER BY created_at DESC, job_id LIMIT @limit`,
)
const listPage = sql<
  {
    organizationId: string
    domain: string | null
    status: string | null
    createdAt: number | null
    id: string
    limit: number
  },
  ExportJobRow
>(
  `SELECT * FROM export_jobs
   WHERE organization_id = @organizationId AND (CAST(@domain AS text) IS NULL OR domain = @domain)
     AND (CAST(@status AS text) IS NULL OR status = @status)
     AND (CAST(@createdAt AS bigint) IS NULL OR created_at < @createdAt OR (created_at = @createdAt AND job_id > @id))
   ORDER BY created_at DESC, job_id LIMIT @limit`,
)
// A request can have thousands of paths, so the database compares them as the texts that are stored.
const findLastCompleted = sql<{ organizationId: string; domain: string; paths: string | null }, ExportJobRow>(
  ({ isPostgres }) =>
    `SELECT * FROM export_jobs
     WHERE organization_id = @organizationId AND domain = @domain AND status = 'completed'
       AND ${isPostgres ? 'request::json' : 'request'} ->> 'paths' IS NOT DISTINCT FROM CAST(@paths AS text)
     ORDER BY created_at DESC, job_id LIMIT 1`,
)
const listSummaries = sql<
  { organizationId: string; domain: string | null },
  Pick<ExportJobRow, 'job_id' | 'domain' | 'status' | 'page_count' | 'created_at'>
>(
  `SELECT job_id, domain, status, page_count, created_at FROM export_jobs
   WHERE organization_id = @organizationId AND (CAST(@domain AS text) IS NULL OR domain = @domain)
   ORDER BY created_at DESC, job_id`,
)
// The first condition is that of the index of open jobs.
const isQueued = "status IN ('queued', 'running') AND status = 'queued' AND organization_id = @organizationId"
const countAhead = sql<{ organizationId: string; jobId: string; createdAt: number }, { jobs: number }>(
  `SELECT count(*) AS jobs FROM export_jobs
   WHERE ${isQueued} AND (created_at < @createdAt OR (created_at = @createdAt AND job_id < @jobId))`,
)
const countQueued = sql<{ organizationId: string }, { queued: number }>(
  `SELECT count(*) AS queued FROM export_jobs WHERE ${isQueued}`,
)
const countOpen = sql<{ organizationId: string | null }, { status: 'queued' | 'running'; jobs: number }>(
  `SELECT status, count(*) AS jobs FROM export_jobs
   WHERE status IN ('queued', 'running') AND (CAST(@organizationId AS text) IS NULL OR organization_id = @organizationId)
   GROUP BY status`,
)
const oldestQueued = sql<object, { created_at: number | null }>(
  `SELECT min(created_at) AS created_at FROM export_jobs WHERE status IN ('queued', 'running') AND status = 'queued'`,
)
const noteLink = sql<{ jobId: string; expiresAt: number }>(
  `UPDATE export_jobs
   SET link_expires_at = CASE WHEN link_expires_at > @expiresAt AND link_expires_at - @expiresAt <= ${maxLinkMs}
     THEN link_expires_at ELSE @expiresAt END
   WHERE job_id = @jobId AND status = 'completed'`,
)
const noteDamage = sql<{ fileName: string; damage: string | null }>(
  'UPDATE export_jobs SET bundle_damage = @damage WHERE bundle_file = @fileName',
  { isRepeatable: true },
)
const lastLinkExpiry = sql<{ now: number }, { expires_at: number | null }>(
  'SELECT max(link_expires_at) AS expires_at FROM export_jobs WHERE link_expires_at >= @now',
)
const countLinked = sql<{ now: number }, { jobs: number }>(
  'SELECT count(*) AS jobs FROM export_jobs WHERE link_expires_at >= @now',
)
const forgetLinks = sql<{ now: number }>('UPDATE export_jobs SET link_expires_at = NULL WHERE link_expires_at >= @now')
const findEnded = sql<{ endedBefore: number; now: number }, { job_id: string }>(
  `SELECT job_id FROM export_jobs
   WHERE status IN ('completed', 'failed') AND updated_at < @endedBefore
     AND (link_expires_at IS NULL OR link_expires_at < @now OR link_expires_at > @now + ${maxLinkMs})
   ORDER BY updated_at`,
)
const lockJob = sql<{ jobId: string }, ExportJobRow>('SELECT * FROM export_jobs WHERE job_id = @jobId FOR UPDATE')
const remove = sql<{ jobId: string }>('DELETE FROM export_jobs WHERE job_id = @jobId')
// Starts of one organization come one after the other, so that two with the same key do not both insert, and the queue has no more jobs
// than it may.
const lockOrganization = sql<{ organizationId: string }, object>(
  'SELECT 1 FROM organizations WHERE id = @organizationId FOR NO KEY UPDATE',
)
const insert = sql<{ jobId: string; organizationId: string; domain: string; request: string; createdAt: number }>(
  `INSERT INTO export_jobs (job_id, organization_id, domain, request, status, created_at, updated_at)
   VALUES (@jobId, @organizationId, @domain, @request, 'queued', @createdAt, @createdAt)`,
)

/** The methods of the runner of a job are in `exportLeases`. */
export const exportJobs: Works<Omit<ExportJobs, Leased>> = {
  start: atomic(function* (...[job, idempotencyKey, keysSince, maxQueued, event]: Parameters<ExportJobs['start']>) {
    const { organizationId, jobId, createdAt, request } = job
    const requestSha256 = digestJson(request)
    yield* all(lockOrganization, { organizationId })
    if (idempotencyKey !== undefined) {
      const used = yield* findKey({ organizationId, idempotencyKey }, { since: keysSince, now: createdAt })
      if (used && used.request_sha256 !== requestSha256) return 'conflict' as const
      const found = used && (yield* get(find, { jobId: used.job_id }))
      if (found) return { job: toExportJob(found), isReplayed: true }
    }
    const { queued } = (yield* get(countQueued, { organizationId })) as { queued: number }
    if (queued >= (maxQueued ?? Number.POSITIVE_INFINITY)) return { queued }
    yield* run(insert, { jobId, organizationId, domain: request.domain, request: JSON.stringify(request), createdAt })
    if (idempotencyKey !== undefined) {
      yield* run(putKey, { organizationId, idempotencyKey, requestSha256, jobId, createdAt })
    }
    if (event) yield* auditLog.append(event)
    return { job, isReplayed: false }
  }),
  *deleteOldKeys(createdBefore) {
    yield* run(deleteOldKeys, { createdBefore })
  },
  *findOwned(organizationId, jobId) {
    const row = yield* get(findOwned, { organizationId, jobId })
    return row && toExportJob(row)
  },
  *find(jobId) {
    const row = yield* get(find, { jobId })
    return row && toExportJob(row)
  },
  *list({ organizationId = null, limit = Number.MAX_SAFE_INTEGER }) {
    return (yield* all(list, { organizationId, limit })).map(toExportJob)
  },
  *listPage(organizationId, { domain = null, status = null, after, limit }) {
    const { createdAt = null, id = '' } = after ?? {}
    return (yield* all(listPage, { organizationId, domain, status, createdAt, id, limit })).map(toExportJob)
  },
  *findLastCompleted(organizationId, { domain, paths }) {
    const row = yield* get(findLastCompleted, { organizationId, domain, paths: paths && JSON.stringify(paths) })
    return row && toExportJob(row)
  },
  /** Reads without the requests of the jobs, which can have thousands of paths. */
  *listSummaries(organizationId, domain) {
    const rows = yield* all(listSummaries, { organizationId, domain: domain ?? null })
    return rows.map(row => ({
      jobId: row.job_id,
      domain: row.domain,
      status: row.status,
      pageCount: row.page_count,
      createdAt: row.created_at,
    }))
  },
  *countAhead({ organizationId, jobId, createdAt }) {
    return (yield* get(countAhead, { organizationId, jobId, createdAt }))?.jobs ?? 0
  },
  *countOpen(organizationId) {
    const counts = { queued: 0, running: 0 }
    for (const { status, jobs } of yield* all(countOpen, { organizationId })) counts[status] = jobs
    return counts
  },
  *findOldestQueued() {
    return (yield* get(oldestQueued, {}))?.created_at ?? undefined
  },
  *findLastLinkExpiry(now) {
    return (yield* get(lastLinkExpiry, { now }))?.expires_at ?? undefined
  },
  *countLinked(now) {
    return (yield* get(countLinked, { now }))?.jobs ?? 0
  },
  *forgetLinks(now) {
    return yield* run(forgetLinks, { now })
  },
  *noteDamage(fileName, damage) {
    yield* run(noteDamage, { fileName, damage })
  },
  noteLink: atomic(function* (...[jobId, expiresAt, event]: Parameters<ExportJobs['noteLink']>) {
    const isNoted = (yield* run(noteLink, { jobId, expiresAt })) === 1
    if (isNoted && event) yield* auditLog.append(event)
    return isNoted
  }),
  *findEnded(endedBefore, now) {
    return (yield* all(findEnded, { endedBefore, now })).map(({ job_id }) => job_id)
  },
  delete: atomic(function* (...[jobId, now, despiteLink]: Parameters<ExportJobs['delete']>) {
    const row = yield* get(lockJob, { jobId })
    if (!row) return 'unknown' as const
    if (row.status === 'queued' || row.status === 'running') return 'open' as const
    const linkMs = (row.link_expires_at ?? 0) - now
    if (!despiteLink && linkMs >= 0 && linkMs <= maxLinkMs) return 'linked' as const
    yield* run(deleteKeysOfJob, { jobId })
    yield* run(remove, { jobId })
    return { fileName: row.bundle_file }
  }),
}
