import { digestJson } from '../../base/digest.ts'
import type { ExportJobs } from '../../export/jobs/export-job.ts'
import { type ExportJobRow, toExportJob } from '../export-job-row.ts'
import { openAuditLog } from './audit-log.ts'
import type { Database } from './database.ts'
import { findKey, putKey } from './idempotency-keys.ts'
import { statement } from './statement.ts'

export const findJob = statement<{ jobId: string }, ExportJobRow>('SELECT * FROM export_jobs WHERE job_id = @jobId')

// Starts of one organization come one after the other, so that two with the same key do not both insert, and the queue has no more jobs
// than it may.
const lockOrganization = statement<{ organizationId: string }, object>(
  'SELECT 1 FROM organizations WHERE id = @organizationId FOR NO KEY UPDATE',
)
const countQueued = statement<{ organizationId: string }, { queued: number }>(
  // The first condition is that of the index of open jobs.
  `SELECT count(*) AS queued FROM export_jobs
   WHERE status IN ('queued', 'running') AND status = 'queued' AND organization_id = @organizationId`,
)
const insert = statement<{
  jobId: string
  organizationId: string
  domain: string
  request: string
  createdAt: number
}>(
  `INSERT INTO export_jobs (job_id, organization_id, domain, request, status, created_at, updated_at)
   VALUES (@jobId, @organizationId, @domain, @request, 'queued', @createdAt, @createdAt)`,
)

export function openStart(database: Database): ExportJobs['start'] {
  return (job, idempotencyKey, keysSince, maxQueued = Number.POSITIVE_INFINITY, event = undefined) =>
    database.atomically(async within => {
      const { organizationId, jobId, createdAt, request } = job
      const requestSha256 = digestJson(request)
      await within.all(lockOrganization, { organizationId })
      if (idempotencyKey !== undefined) {
        const key = { organizationId, idempotencyKey }
        const used = await findKey(within, key, { since: keysSince, now: createdAt })
        if (used && used.request_sha256 !== requestSha256) return 'conflict'
        const found = used && (await within.get(findJob, { jobId: used.job_id }))
        if (found) return { job: toExportJob(found), isReplayed: true }
      }
      const { queued } = (await within.get(countQueued, { organizationId })) as { queued: number }
      if (queued >= maxQueued) return { queued }
      await within.run(insert, {
        jobId,
        organizationId,
        domain: request.domain,
        request: JSON.stringify(request),
        createdAt,
      })
      if (idempotencyKey !== undefined) {
        await putKey(within, { organizationId, idempotencyKey, requestSha256, jobId, createdAt })
      }
      if (event) await openAuditLog(within).append(event)
      return { job, isReplayed: false }
    })
}
