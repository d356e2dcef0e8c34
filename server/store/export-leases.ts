import type { ExportJobs } from '../export/jobs/export-job.ts'
import type { Database } from './database.ts'
import { type ExportJobRow, toExportJob } from './export-job-row.ts'

interface LeaseParameters {
  jobId: string
  token: number
}

/** The maximum of --lease-seconds. */
const maxLeaseMs = 3_600_000

/** Opens the methods for the runner of an export job. */
export function openExportLeases(
  database: Database,
): Pick<ExportJobs, 'claim' | 'heartbeat' | 'report' | 'complete' | 'fail' | 'release'> {
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
  const fail = database.prepare<LeaseParameters & { error: string; now: number }>(
    `UPDATE export_jobs SET status = 'failed', error = @error, updated_at = @now, lease_owner = NULL, lease_expires_at = NULL
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )
  const release = database.prepare<LeaseParameters>(
    `UPDATE export_jobs SET lease_owner = NULL, lease_expires_at = NULL
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )

  return {
    claim: prepareClaim(database),
    heartbeat: ({ jobId, token }, now, leaseMs) =>
      heartbeat.run({ jobId, token, leaseExpiresAt: now + leaseMs }).changes === 1,
    report: ({ jobId, token }, progress, pageCount, now) =>
      report.run({ jobId, token, progress, pageCount, now }).changes === 1,
    complete: ({ jobId, token }, bundle, pageCount, now) =>
      complete.run({ jobId, token, ...bundle, pageCount, now }).changes === 1,
    fail: ({ jobId, token }, error, now) => fail.run({ jobId, token, error, now }).changes === 1,
    release: ({ jobId, token }) => release.run({ jobId, token }).changes === 1,
  }
}

function prepareClaim(database: Database): ExportJobs['claim'] {
  // If a lease ends later than any new lease can, the clock was set back after it was granted.
  const findClaimable = database.prepare<{ now: number; latest: number }, { job_id: string }>(
    `SELECT job_id FROM export_jobs
     WHERE status IN ('queued', 'running')
       AND (lease_expires_at IS NULL OR lease_expires_at <= @now OR lease_expires_at > @latest)
     ORDER BY created_at, job_id LIMIT 1`,
  )
  const takeLease = database.prepare<
    { jobId: string; owner: string; now: number; leaseExpiresAt: number },
    ExportJobRow
  >(
    `UPDATE export_jobs SET status = 'running', lease_owner = @owner, lease_token = lease_token + 1,
       lease_expires_at = @leaseExpiresAt, updated_at = @now,
       interruptions = interruptions + (lease_expires_at IS NOT NULL)
     WHERE job_id = @jobId RETURNING *`,
  )
  return database.transaction((owner: string, now: number, leaseMs: number) => {
    const jobId = findClaimable.get({ now, latest: now + maxLeaseMs })?.job_id
    const row = jobId === undefined ? undefined : takeLease.get({ jobId, owner, now, leaseExpiresAt: now + leaseMs })
    if (!row) return undefined
    return {
      job: toExportJob(row),
      lease: { jobId: row.job_id, owner, token: row.lease_token },
      interruptions: row.interruptions,
    }
  }).immediate
}
