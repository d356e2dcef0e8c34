import type { ClaimLimits, ExportJobs } from '../export/jobs/export-job.ts'
import type { Database } from './database.ts'
import { type ExportJobRow, toExportJob } from './export-job-row.ts'

/** The maximum of --lease-seconds. */
export const maxLeaseMs = 3_600_000
/** Interrupted jobs come first, unless they may be the reason for the interruptions. */
export const maxFirst = 3

const noLimits: ClaimLimits = { maxPerOrganization: Number.MAX_SAFE_INTEGER, heldJobs: [], takesOver: true }

interface FindParameters {
  now: number
  owner: string
  /** JSON: ids of jobs that the owner works on. */
  heldJobs: string
  maxPerOrganization: number
  takesOver: number
}

/** Prepares the claim of the next export job. */
export function prepareClaim(database: Database): ExportJobs['claim'] {
  const restartLeases = prepareRestartLeases(database)
  const findNext = prepareFindNext(database)
  const takeLease = database.prepare<
    { jobId: string; owner: string; now: number; leaseExpiresAt: number },
    ExportJobRow
  >(
    `UPDATE export_jobs SET status = 'running', lease_owner = @owner, lease_token = lease_token + 1,
       lease_renewed_at = @now, lease_expires_at = @leaseExpiresAt, updated_at = max(updated_at, @now),
       interruptions = interruptions + (lease_expires_at IS NOT NULL)
     WHERE job_id = @jobId RETURNING *`,
  )
  const takeTurn = database.prepare<{ organizationId: string }>(
    `UPDATE organizations SET export_turn = 1 + (SELECT max(export_turn) FROM organizations)
     WHERE id = @organizationId`,
  )
  return database.transaction((owner: string, now: number, leaseMs: number, limits = noLimits) => {
    restartLeases(now)
    const { maxPerOrganization, heldJobs, takesOver } = limits
    const parameters = { now, owner, maxPerOrganization, heldJobs: JSON.stringify(heldJobs), takesOver: +takesOver }
    const jobId = findNext.get(parameters)?.job_id
    const row = jobId === undefined ? undefined : takeLease.get({ jobId, owner, now, leaseExpiresAt: now + leaseMs })
    if (!row) return undefined
    takeTurn.run({ organizationId: row.organization_id })
    return {
      job: toExportJob(row),
      lease: { jobId: row.job_id, owner, token: row.lease_token },
      interruptions: row.interruptions,
    }
  }).immediate
}

/**
 * Prepares a restart of the leases that were renewed later than now, because the clock was set back. A running runner renews
 * its lease in time. The job of a killed runner waits for one lease only.
 */
function prepareRestartLeases(database: Database): (now: number) => void {
  const restart = database.prepare<{ now: number; maxLeaseMs: number }>(
    `UPDATE export_jobs SET lease_renewed_at = @now,
       lease_expires_at = @now + min(lease_expires_at - coalesce(lease_renewed_at, @now), @maxLeaseMs)
     WHERE status IN ('queued', 'running') AND status = 'running'
       AND (lease_renewed_at > @now OR (lease_renewed_at IS NULL AND lease_expires_at > @now + @maxLeaseMs))`,
  )
  return now => void restart.run({ now, maxLeaseMs })
}

/**
 * Prepares the choice of the next job. Organizations take turns: first those with the fewest exports at work in all
 * processes, then the one that was served longest ago. Of one organization, a site that no export works on comes first,
 * because only one export at a time can use the cache of a site. Then the oldest job.
 */
function prepareFindNext(database: Database) {
  return database.prepare<FindParameters, { job_id: string }>(
    `WITH held AS MATERIALIZED (
       SELECT organization_id, domain, lease_owner FROM export_jobs
       -- The first condition is that of the index of open jobs.
       WHERE status IN ('queued', 'running') AND status = 'running'
         AND (lease_expires_at > @now OR job_id IN (SELECT value FROM json_each(@heldJobs)))
     )
     SELECT job_id FROM export_jobs AS job JOIN organizations ON organizations.id = job.organization_id
     WHERE status IN ('queued', 'running')
       AND (lease_expires_at IS NULL OR (lease_expires_at <= @now AND @takesOver))
       AND job_id NOT IN (SELECT value FROM json_each(@heldJobs))
       AND (SELECT count(*) FROM held WHERE held.organization_id = job.organization_id AND lease_owner = @owner)
         < @maxPerOrganization
     ORDER BY status = 'running' AND interruptions < ${maxFirst} DESC,
       (SELECT count(*) FROM held WHERE held.organization_id = job.organization_id),
       organizations.export_turn,
       job.domain IN (SELECT domain FROM held),
       job.created_at, job_id
     LIMIT 1`,
  )
}
