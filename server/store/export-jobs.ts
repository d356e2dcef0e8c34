import {
  type ClaimedJob,
  digestRequest,
  type ExportJob,
  type ExportJobs,
  type ExportStatus,
} from '../export/jobs/export-job.ts'
import type { Database } from './database.ts'

interface Row {
  job_id: string
  organization_id: string
  domain: string
  request: string
  status: ExportStatus
  progress: number
  page_count: number
  error: string | null
  created_at: number
  updated_at: number
  lease_token: number
  interruptions: number
  bundle_file: string | null
  bundle_size_bytes: number | null
  bundle_sha256: string | null
  link_expires_at: number | null
}

interface LeaseParameters {
  jobId: string
  token: number
}

/** What --lease-seconds allows at most. */
const longestLeaseMs = 3_600_000

export function openExportJobs(database: Database): ExportJobs {
  const insert = database.prepare(
    `INSERT INTO export_jobs (job_id, organization_id, domain, request, status, created_at, updated_at)
     VALUES (@jobId, @organizationId, @domain, @request, 'queued', @createdAt, @createdAt)`,
  )
  const find = database.prepare<{ jobId: string }, Row>('SELECT * FROM export_jobs WHERE job_id = @jobId')
  const findOwned = database.prepare<{ organizationId: string; jobId: string }, Row>(
    'SELECT * FROM export_jobs WHERE job_id = @jobId AND organization_id = @organizationId',
  )

  const forgetKeys = database.prepare<{ keysSince: number }>(
    'DELETE FROM idempotency_keys WHERE created_at < @keysSince',
  )
  const findKey = database.prepare<
    { organizationId: string; idempotencyKey: string },
    { request_sha256: string; job_id: string }
  >(
    `SELECT request_sha256, job_id FROM idempotency_keys
     WHERE organization_id = @organizationId AND idempotency_key = @idempotencyKey`,
  )
  const insertKey = database.prepare(
    `INSERT INTO idempotency_keys (organization_id, idempotency_key, request_sha256, job_id, created_at)
     VALUES (@organizationId, @idempotencyKey, @requestSha256, @jobId, @createdAt)`,
  )

  // A lease that ends later than any can was given before the clock was set back.
  const findClaimable = database.prepare<{ now: number; latest: number }, Row>(
    `SELECT * FROM export_jobs
     WHERE status IN ('queued', 'running')
       AND (lease_expires_at IS NULL OR lease_expires_at <= @now OR lease_expires_at > @latest)
     ORDER BY created_at, job_id LIMIT 1`,
  )
  const takeLease = database.prepare(
    `UPDATE export_jobs SET status = 'running', lease_owner = @owner, lease_token = lease_token + 1,
       lease_expires_at = @leaseExpiresAt, updated_at = @now,
       interruptions = interruptions + (lease_expires_at IS NOT NULL)
     WHERE job_id = @jobId`,
  )
  const heartbeat = database.prepare<LeaseParameters & { leaseExpiresAt: number }>(
    `UPDATE export_jobs SET lease_expires_at = @leaseExpiresAt
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )
  const report = database.prepare<LeaseParameters & { progress: number; pageCount: number; now: number }>(
    `UPDATE export_jobs SET progress = max(progress, @progress), page_count = max(page_count, @pageCount), updated_at = @now
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )
  const complete = database.prepare(
    `UPDATE export_jobs SET status = 'completed', progress = 100, page_count = @pageCount, updated_at = @now,
       lease_owner = NULL, lease_expires_at = NULL,
       bundle_file = @fileName, bundle_size_bytes = @sizeBytes, bundle_sha256 = @sha256
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )
  const fail = database.prepare(
    `UPDATE export_jobs SET status = 'failed', error = @error, updated_at = @now, lease_owner = NULL, lease_expires_at = NULL
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )
  const release = database.prepare<LeaseParameters>(
    `UPDATE export_jobs SET lease_owner = NULL, lease_expires_at = NULL
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )

  const noteLink = database.prepare<{ jobId: string; expiresAt: number }>(
    `UPDATE export_jobs SET link_expires_at = max(coalesce(link_expires_at, 0), @expiresAt)
     WHERE job_id = @jobId AND status = 'completed'`,
  )
  const list = database.prepare<{ organizationId: string | null }, Row>(
    `SELECT * FROM export_jobs WHERE @organizationId IS NULL OR organization_id = @organizationId
     ORDER BY created_at DESC, job_id`,
  )
  const findEnded = database.prepare<{ endedBefore: number; now: number }, { job_id: string }>(
    `SELECT job_id FROM export_jobs
     WHERE status IN ('completed', 'failed') AND updated_at < @endedBefore
       AND (link_expires_at IS NULL OR link_expires_at < @now)
     ORDER BY updated_at`,
  )
  const removeKeys = database.prepare<{ jobId: string }>('DELETE FROM idempotency_keys WHERE job_id = @jobId')
  const removeJob = database.prepare<{ jobId: string }>('DELETE FROM export_jobs WHERE job_id = @jobId')

  const start = database.transaction((job: ExportJob, idempotencyKey: string | undefined, keysSince: number) => {
    const requestSha256 = digestRequest(job.request)
    const { organizationId, jobId, createdAt } = job
    if (idempotencyKey !== undefined) {
      forgetKeys.run({ keysSince })
      const used = findKey.get({ organizationId, idempotencyKey })
      if (used && used.request_sha256 !== requestSha256) return 'conflict'
      if (used) return { job: toExportJob(find.get({ jobId: used.job_id }) as Row) }
    }
    insert.run({ jobId, organizationId, domain: job.request.domain, request: JSON.stringify(job.request), createdAt })
    if (idempotencyKey !== undefined) {
      insertKey.run({ organizationId, idempotencyKey, requestSha256, jobId, createdAt })
    }
    return { job }
  }).immediate

  const claim = database.transaction((owner: string, now: number, leaseMs: number): ClaimedJob | undefined => {
    const claimable = findClaimable.get({ now, latest: now + longestLeaseMs })
    if (!claimable) return undefined
    takeLease.run({ jobId: claimable.job_id, owner, now, leaseExpiresAt: now + leaseMs })
    const row = find.get({ jobId: claimable.job_id }) as Row
    return {
      job: toExportJob(row),
      lease: { jobId: row.job_id, owner, token: row.lease_token },
      interruptions: row.interruptions,
    }
  }).immediate

  const remove = database.transaction((jobId: string, now: number, despiteLink: boolean) => {
    const row = find.get({ jobId })
    if (!row) return 'unknown'
    if (row.status === 'queued' || row.status === 'running') return 'open'
    if (!despiteLink && row.link_expires_at !== null && row.link_expires_at >= now) return 'linked'
    removeKeys.run({ jobId })
    removeJob.run({ jobId })
    return { fileName: row.bundle_file }
  }).immediate

  return {
    start,
    findOwned(organizationId, jobId) {
      const row = findOwned.get({ organizationId, jobId })
      return row && toExportJob(row)
    },
    find(jobId) {
      const row = find.get({ jobId })
      return row && toExportJob(row)
    },
    claim,
    heartbeat: ({ jobId, token }, now, leaseMs) =>
      heartbeat.run({ jobId, token, leaseExpiresAt: now + leaseMs }).changes === 1,
    report: ({ jobId, token }, progress, pageCount, now) =>
      report.run({ jobId, token, progress, pageCount, now }).changes === 1,
    complete: ({ jobId, token }, bundle, pageCount, now) =>
      complete.run({ jobId, token, ...bundle, pageCount, now }).changes === 1,
    noteLink: (jobId, expiresAt) => noteLink.run({ jobId, expiresAt }).changes === 1,
    list: filter => list.all({ organizationId: filter.organizationId ?? null }).map(toExportJob),
    findEnded: (endedBefore, now) => findEnded.all({ endedBefore, now }).map(({ job_id }) => job_id),
    delete: remove,
    fail: ({ jobId, token }, error, now) => fail.run({ jobId, token, error, now }).changes === 1,
    release: ({ jobId, token }) => release.run({ jobId, token }).changes === 1,
  }
}

function toExportJob(row: Row): ExportJob {
  return {
    jobId: row.job_id,
    organizationId: row.organization_id,
    request: JSON.parse(row.request),
    status: row.status,
    progress: row.progress,
    pageCount: row.page_count,
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    bundle:
      row.bundle_file === null
        ? null
        : {
            fileName: row.bundle_file,
            sizeBytes: row.bundle_size_bytes as number,
            sha256: row.bundle_sha256 as string,
          },
  }
}
