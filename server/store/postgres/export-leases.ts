import type { ExportJobs } from '../../export/jobs/export-job.ts'
import { openClaim } from './claim-export.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

interface Held {
  jobId: string
  token: number
}

// The time is that of the database: the clocks of the nodes differ. All of these may run again if their answer is lost, and then answer
// the same.
const isHeld = "job_id = @jobId AND lease_token = @token AND status = 'running'"
const again = { isRepeatable: true }

const heartbeat = statement<Held & { leaseMs: number }>(
  `UPDATE export_jobs SET lease_renewed_at = now_ms(), lease_expires_at = now_ms() + @leaseMs WHERE ${isHeld}`,
  again,
)
const report = statement<Held & { progress: number; pageCount: number }>(
  `UPDATE export_jobs SET progress = greatest(progress, @progress), page_count = greatest(page_count, @pageCount),
     updated_at = greatest(updated_at, now_ms())
   WHERE ${isHeld}`,
  again,
)
const complete = statement<Held & { fileName: string; sizeBytes: number; sha256: string; pageCount: number }>(
  `UPDATE export_jobs SET status = 'completed', progress = 100, page_count = @pageCount,
     updated_at = greatest(updated_at, now_ms()), lease_owner = NULL, lease_expires_at = NULL,
     bundle_file = @fileName, bundle_size_bytes = @sizeBytes, bundle_sha256 = @sha256
   WHERE ${isHeld} OR (job_id = @jobId AND lease_token = @token AND status = 'completed' AND bundle_file = @fileName)`,
  again,
)
const fail = statement<Held & { error: string }>(
  `UPDATE export_jobs SET status = 'failed', error = @error, updated_at = greatest(updated_at, now_ms()),
     lease_owner = NULL, lease_expires_at = NULL
   WHERE ${isHeld} OR (job_id = @jobId AND lease_token = @token AND status = 'failed' AND error = @error)`,
  again,
)
const release = statement<Held>(
  `UPDATE export_jobs SET lease_owner = NULL, lease_expires_at = NULL WHERE ${isHeld}`,
  again,
)

/** Opens the methods for the runner of an export job. They do not use the time of the caller. */
export function openExportLeases(
  database: Database,
): Pick<ExportJobs, 'claim' | 'heartbeat' | 'report' | 'complete' | 'fail' | 'release'> {
  return {
    claim: openClaim(database),
    heartbeat: async ({ jobId, token }, _now, leaseMs) =>
      (await database.run(heartbeat, { jobId, token, leaseMs: Math.round(leaseMs) })) === 1,
    report: async ({ jobId, token }, progress, pageCount) =>
      (await database.run(report, { jobId, token, progress, pageCount })) === 1,
    complete: async ({ jobId, token }, { fileName, sizeBytes, sha256 }, pageCount) =>
      (await database.run(complete, { jobId, token, fileName, sizeBytes, sha256, pageCount })) === 1,
    fail: async ({ jobId, token }, error) => (await database.run(fail, { jobId, token, error })) === 1,
    release: async ({ jobId, token }) => (await database.run(release, { jobId, token })) === 1,
  }
}
