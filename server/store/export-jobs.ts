import { digestRequest, type ExportJob, type ExportJobs } from '../export/jobs/export-job.ts'
import type { Database } from './database.ts'
import { type ExportJobRow, toExportJob } from './export-job-row.ts'
import { openExportLeases } from './export-leases.ts'
import { openIdempotencyKeys } from './idempotency-keys.ts'

export function openExportJobs(database: Database): ExportJobs {
  const find = prepareFind(database)
  const findOwned = database.prepare<{ organizationId: string; jobId: string }, ExportJobRow>(
    'SELECT * FROM export_jobs WHERE job_id = @jobId AND organization_id = @organizationId',
  )
  const list = database.prepare<{ organizationId: string | null }, ExportJobRow>(
    `SELECT * FROM export_jobs WHERE @organizationId IS NULL OR organization_id = @organizationId
     ORDER BY created_at DESC, job_id`,
  )
  const noteLink = database.prepare<{ jobId: string; expiresAt: number }>(
    `UPDATE export_jobs SET link_expires_at = max(coalesce(link_expires_at, 0), @expiresAt)
     WHERE job_id = @jobId AND status = 'completed'`,
  )
  const findEnded = database.prepare<{ endedBefore: number; now: number }, { job_id: string }>(
    `SELECT job_id FROM export_jobs
     WHERE status IN ('completed', 'failed') AND updated_at < @endedBefore
       AND (link_expires_at IS NULL OR link_expires_at < @now)
     ORDER BY updated_at`,
  )

  return {
    start: prepareStart(database),
    findOwned(organizationId, jobId) {
      const row = findOwned.get({ organizationId, jobId })
      return row && toExportJob(row)
    },
    find(jobId) {
      const row = find.get({ jobId })
      return row && toExportJob(row)
    },
    list: filter => list.all({ organizationId: filter.organizationId ?? null }).map(toExportJob),
    noteLink: (jobId, expiresAt) => noteLink.run({ jobId, expiresAt }).changes === 1,
    findEnded: (endedBefore, now) => findEnded.all({ endedBefore, now }).map(({ job_id }) => job_id),
    delete: prepareDelete(database),
    ...openExportLeases(database),
  }
}

function prepareStart(database: Database): ExportJobs['start'] {
  const keys = openIdempotencyKeys(database)
  const find = prepareFind(database)
  const insert = database.prepare(
    `INSERT INTO export_jobs (job_id, organization_id, domain, request, status, created_at, updated_at)
     VALUES (@jobId, @organizationId, @domain, @request, 'queued', @createdAt, @createdAt)`,
  )
  return database.transaction((job: ExportJob, idempotencyKey: string | undefined, keysSince: number) => {
    const requestSha256 = digestRequest(job.request)
    const { organizationId, jobId, createdAt } = job
    if (idempotencyKey !== undefined) {
      keys.deleteOld(keysSince)
      const used = keys.find(organizationId, idempotencyKey)
      if (used && used.request_sha256 !== requestSha256) return 'conflict'
      if (used) return { job: toExportJob(find.get({ jobId: used.job_id }) as ExportJobRow) }
    }
    insert.run({ jobId, organizationId, domain: job.request.domain, request: JSON.stringify(job.request), createdAt })
    if (idempotencyKey !== undefined) {
      keys.insert({ organizationId, idempotencyKey, requestSha256, jobId, createdAt })
    }
    return { job }
  }).immediate
}

function prepareDelete(database: Database): ExportJobs['delete'] {
  const keys = openIdempotencyKeys(database)
  const find = prepareFind(database)
  const remove = database.prepare<{ jobId: string }>('DELETE FROM export_jobs WHERE job_id = @jobId')
  return database.transaction((jobId: string, now: number, despiteLink: boolean) => {
    const row = find.get({ jobId })
    if (!row) return 'unknown'
    if (row.status === 'queued' || row.status === 'running') return 'open'
    if (!despiteLink && row.link_expires_at !== null && row.link_expires_at >= now) return 'linked'
    keys.deleteOfJob(jobId)
    remove.run({ jobId })
    return { fileName: row.bundle_file }
  }).immediate
}

function prepareFind(database: Database) {
  return database.prepare<{ jobId: string }, ExportJobRow>('SELECT * FROM export_jobs WHERE job_id = @jobId')
}
