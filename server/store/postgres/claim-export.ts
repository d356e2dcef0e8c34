import type { ClaimLimits, ExportJobs } from '../../export/jobs/export-job.ts'
import { maxFirst, maxLeaseMs } from '../claim-export.ts'
import { type ExportJobRow, toExportJob } from '../export-job-row.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

const noLimits: ClaimLimits = { maxPerOrganization: Number.MAX_SAFE_INTEGER, heldJobs: [], takesOver: true }

// Leases that were renewed later than now, because the clock of the database was set back. A running runner renews its lease in time.
// The job of a killed runner waits for one lease only.
const restartLeases = statement<object>(
  `UPDATE export_jobs SET lease_renewed_at = now_ms(),
     lease_expires_at = now_ms() + least(lease_expires_at - lease_renewed_at, ${maxLeaseMs})
   WHERE status IN ('queued', 'running') AND status = 'running' AND lease_renewed_at > now_ms()`,
  { isRepeatable: true },
)

// The order is that of `prepareFindNext` in server/store/claim-export.ts. Nodes that claim at the same time skip the rows that the others
// have locked, so no two get the same job.
const claim = statement<
  { owner: string; leaseMs: number; heldJobs: readonly string[]; maxPerOrganization: number; takesOver: boolean },
  ExportJobRow
>(
  `WITH clock AS MATERIALIZED (SELECT now_ms() AS now),
   held AS MATERIALIZED (
     SELECT organization_id, domain, lease_owner FROM export_jobs, clock
     -- The first condition is that of the index of open jobs.
     WHERE status IN ('queued', 'running') AND status = 'running'
       AND (lease_expires_at > now OR job_id = ANY (@heldJobs::text[]))
   ),
   next AS MATERIALIZED (
     SELECT job_id FROM export_jobs AS job JOIN organizations ON organizations.id = job.organization_id, clock
     WHERE status IN ('queued', 'running')
       AND (lease_expires_at IS NULL OR (lease_expires_at <= now AND @takesOver::boolean))
       AND job_id <> ALL (@heldJobs::text[])
       AND (SELECT count(*) FROM held WHERE held.organization_id = job.organization_id AND lease_owner = @owner)
         < @maxPerOrganization::bigint
     ORDER BY status = 'running' AND interruptions < ${maxFirst} DESC,
       (SELECT count(*) FROM held WHERE held.organization_id = job.organization_id),
       organizations.export_turn,
       job.domain IN (SELECT domain FROM held),
       job.created_at, job_id
     LIMIT 1 FOR UPDATE OF job SKIP LOCKED
   ),
   taken AS (
     UPDATE export_jobs SET status = 'running', lease_owner = @owner, lease_token = lease_token + 1,
       lease_renewed_at = now, lease_expires_at = now + @leaseMs, updated_at = greatest(updated_at, now),
       interruptions = interruptions + (lease_expires_at IS NOT NULL)::integer
     FROM next, clock WHERE export_jobs.job_id = next.job_id RETURNING export_jobs.*
   ),
   turn AS (
     UPDATE organizations SET export_turn = nextval('export_turns') FROM taken WHERE id = taken.organization_id
   )
   SELECT * FROM taken`,
)

/** Opens the claim of the next export job. It uses the clock of the database. */
export function openClaim(database: Database): ExportJobs['claim'] {
  return async (owner, _now, leaseMs, { maxPerOrganization, heldJobs, takesOver } = noLimits) => {
    await database.run(restartLeases, {})
    const parameters = { owner, leaseMs: Math.round(leaseMs), heldJobs, maxPerOrganization, takesOver }
    const row = await database.get(claim, parameters)
    if (!row) return undefined
    return {
      job: toExportJob(row),
      lease: { jobId: row.job_id, owner, token: row.lease_token },
      interruptions: row.interruptions,
    }
  }
}
