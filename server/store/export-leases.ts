import type { ExportJobs } from '../export/jobs/export-job.ts'
import { prepareClaim } from './claim-export.ts'
import type { Database } from './database.ts'

interface LeaseParameters {
  jobId: string
  token: number
}

/** Opens the methods for the runner of an export job. */
export function openExportLeases(
  database: Database,
): Pick<ExportJobs, 'claim' | 'heartbeat' | 'report' | 'complete' | 'fail' | 'release'> {
  const heartbeat = database.prepare<LeaseParameters & { now: number; leaseExpiresAt: number }>(
    `UPDATE export_jobs SET lease_renewed_at = @now, lease_expires_at = @leaseExpiresAt
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )
  const report = database.prepare<LeaseParameters & { progress: number; pageCount: number; now: number }>(
    `UPDATE export_jobs SET progress = max(progress, @progress), page_count = max(page_count, @pageCount), updated_at = max(updated_at, @now)
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )
  const complete = database.prepare(
    `UPDATE export_jobs SET status = 'completed', progress = 100, page_count = @pageCount, updated_at = max(updated_at, @now),
       lease_owner = NULL, lease_expires_at = NULL,
       bundle_file = @fileName, bundle_size_bytes = @sizeBytes, bundle_sha256 = @sha256
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )
  const fail = database.prepare<LeaseParameters & { error: string; now: number }>(
    `UPDATE export_jobs SET status = 'failed', error = @error, updated_at = max(updated_at, @now), lease_owner = NULL, lease_expires_at = NULL
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )
  const release = database.prepare<LeaseParameters>(
    `UPDATE export_jobs SET lease_owner = NULL, lease_expires_at = NULL
     WHERE job_id = @jobId AND lease_token = @token AND status = 'running'`,
  )

  return {
    claim: prepareClaim(database),
    heartbeat: ({ jobId, token }, now, leaseMs) =>
      heartbeat.run({ jobId, token, now, leaseExpiresAt: now + leaseMs }).changes === 1,
    report: ({ jobId, token }, progress, pageCount, now) =>
      report.run({ jobId, token, progress, pageCount, now }).changes === 1,
    complete: ({ jobId, token }, bundle, pageCount, now) =>
      complete.run({ jobId, token, ...bundle, pageCount, now }).changes === 1,
    fail: ({ jobId, token }, error, now) => fail.run({ jobId, token, error, now }).changes === 1,
    release: ({ jobId, token }) => release.run({ jobId, token }).changes === 1,
  }
}
