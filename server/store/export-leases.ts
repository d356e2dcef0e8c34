import type { ClaimLimits, ExportJobs } from '../export/jobs/export-job.ts'
import { type ExportJobRow, toExportJob } from './export-job-row.ts'
import { atomic, get, inPostgres, run, sql, type Work, type Works } from './noun.ts'
import { statement } from './postgres/statement.ts'
import { enqueue, findSubscribed } from './webhook-events.ts'

/** The methods of the runner of a job. On PostgreSQL, they use its clock and not the caller's: the clocks of nodes differ. */
export type Leased = 'claim' | 'heartbeat' | 'report' | 'complete' | 'fail' | 'cancel' | 'release'

interface Held {
  jobId: string
  token: number
}
type HeldAt = Held & { now: number }

/** The maximum of --lease-seconds. */
const maxLeaseMs = 3_600_000
/** Interrupted jobs come first, unless they may be the reason for the interruptions. */
const maxFirst = 3

const noLimits: ClaimLimits = { maxPerOrganization: Number.MAX_SAFE_INTEGER, heldJobs: [], takesOver: true }

// All of these may run again if their answer is lost, and then answer the same.
const again = { isRepeatable: true }
const isOf = 'job_id = @jobId AND lease_token = @token'
const isHeld = `${isOf} AND status = 'running'`
const noLease = 'lease_owner = NULL, lease_expires_at = NULL'

const heartbeat = sql<HeldAt & { leaseMs: number }>(
  ({ now }) => `UPDATE export_jobs SET lease_renewed_at = ${now}, lease_expires_at = ${now} + @leaseMs WHERE ${isHeld}`,
  again,
)
const report = sql<HeldAt & { progress: number; pageCount: number }>(
  ({ now, greatest }) => `UPDATE export_jobs SET progress = ${greatest}(progress, @progress),
     page_count = ${greatest}(page_count, @pageCount), updated_at = ${greatest}(updated_at, ${now})
   WHERE ${isHeld}`,
  again,
)
const complete = sql<
  HeldAt & { fileName: string; sizeBytes: number; sha256: string; pageCount: number; changes: string | null },
  ExportJobRow
>(
  ({ now, greatest }) => `UPDATE export_jobs SET status = 'completed', progress = 100, page_count = @pageCount,
     updated_at = ${greatest}(updated_at, ${now}), ${noLease},
     bundle_file = @fileName, bundle_size_bytes = @sizeBytes, bundle_sha256 = @sha256, changes = @changes
   WHERE ${isHeld} RETURNING *`,
)
const wasCompleted = sql<Held & { fileName: string }, object>(
  `SELECT 1 FROM export_jobs WHERE ${isOf} AND status = 'completed' AND bundle_file = @fileName`,
)
const fail = sql<HeldAt & { error: string }, ExportJobRow>(
  ({ now, greatest }) => `UPDATE export_jobs SET status = 'failed', error = @error,
     updated_at = ${greatest}(updated_at, ${now}), ${noLease}
   WHERE ${isHeld} RETURNING *`,
)
const hasFailed = sql<Held & { error: string }, object>(
  `SELECT 1 FROM export_jobs WHERE ${isOf} AND status = 'failed' AND error = @error`,
)
const cancel = sql<{ jobId: string; error: string; now: number }, ExportJobRow>(
  ({ now, greatest }) => `UPDATE export_jobs SET status = 'failed', error = @error,
     updated_at = ${greatest}(updated_at, ${now}), ${noLease}
   WHERE job_id = @jobId AND status IN ('queued', 'running') RETURNING *`,
)
const release = sql<Held & { faults: number }>(
  `UPDATE export_jobs SET ${noLease}, faults = faults + @faults WHERE ${isHeld} AND lease_owner IS NOT NULL`,
  again,
)

// Leases that were renewed later than now, because the clock was set back. A running runner renews its lease in time. The job of a
// killed runner waits for one lease only.
const restartLeases = sql<{ now: number }>(
  ({ now, least }) => `UPDATE export_jobs SET lease_renewed_at = ${now},
     lease_expires_at = ${now} + ${least}(lease_expires_at - coalesce(lease_renewed_at, ${now}), ${maxLeaseMs})
   WHERE status IN ('queued', 'running') AND status = 'running'
     AND (lease_renewed_at > ${now} OR (lease_renewed_at IS NULL AND lease_expires_at > ${now} + ${maxLeaseMs}))`,
  again,
)

/** What a claim writes differently: the time, the ids of `heldJobs`, and whether `takesOver` is true. */
interface ClaimDialect {
  now: string
  heldJobs: string
  takesOver: string
  /** More tables in the main clause, and their lock. */
  more: string
  lock: string
}

/**
 * The choice of the next job. Organizations take turns: first those with the fewest exports at work in all processes, then the one that
 * was served longest ago. Of one organization, a site that no export works on comes first, because only one export at a time can use
 * the cache of a site. Then the oldest job.
 */
const choose = ({ now, heldJobs, takesOver, more, lock }: ClaimDialect) => `held AS MATERIALIZED (
     SELECT organization_id, domain, lease_owner FROM export_jobs${more}
     -- The first condition is that of the index of open jobs.
     WHERE status IN ('queued', 'running') AND status = 'running'
       AND (lease_expires_at > ${now} OR job_id IN (${heldJobs}))
   ),
   next AS MATERIALIZED (
     SELECT job_id FROM export_jobs AS job JOIN organizations ON organizations.id = job.organization_id${more}
     WHERE status IN ('queued', 'running')
       AND (lease_expires_at IS NULL OR (lease_expires_at <= ${now} AND ${takesOver}))
       AND job_id NOT IN (${heldJobs})
       AND (SELECT count(*) FROM held WHERE held.organization_id = job.organization_id AND lease_owner = @owner)
         < CAST(@maxPerOrganization AS bigint)
     ORDER BY status = 'running' AND interruptions < ${maxFirst} AND faults = 0 DESC,
       (SELECT count(*) FROM held WHERE held.organization_id = job.organization_id),
       organizations.export_turn,
       job.domain IN (SELECT domain FROM held),
       job.created_at, job_id
     LIMIT 1${lock}
   )`

interface ClaimParameters {
  owner: string
  maxPerOrganization: number
}

const chooseInSqlite = sql<ClaimParameters & { now: number; heldJobs: string; takesOver: number }, { job_id: string }>(
  `WITH ${choose({
    ...{ now: '@now', heldJobs: 'SELECT value FROM json_each(@heldJobs)', takesOver: '@takesOver' },
    ...{ more: '', lock: '' },
  })}
   SELECT job_id FROM next`,
)
const take = sql<{ jobId: string; owner: string; now: number; leaseMs: number }, ExportJobRow>(
  `UPDATE export_jobs SET status = 'running', lease_owner = @owner, lease_token = lease_token + 1,
     lease_renewed_at = @now, lease_expires_at = @now + @leaseMs, updated_at = max(updated_at, @now),
     interruptions = interruptions + (lease_expires_at IS NOT NULL)
   WHERE job_id = @jobId RETURNING *`,
)
const takeTurn = sql<{ organizationId: string }>(
  'UPDATE organizations SET export_turn = 1 + (SELECT max(export_turn) FROM organizations) WHERE id = @organizationId',
)

// Nodes that claim at the same time skip the rows that the others have locked, so no two get the same job.
const claimInPostgres = statement<
  ClaimParameters & { leaseMs: number; heldJobs: readonly string[]; takesOver: boolean },
  ExportJobRow
>(
  `WITH clock AS MATERIALIZED (SELECT now_ms() AS now),
   ${choose({
     ...{ now: 'now', heldJobs: 'SELECT unnest(@heldJobs::text[])', takesOver: '@takesOver::boolean' },
     ...{ more: ', clock', lock: ' FOR UPDATE OF job SKIP LOCKED' },
   })},
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

/** One transaction on SQLite, and one statement on PostgreSQL. */
function* claimNext(
  owner: string,
  now: number,
  leaseMs: number,
  { maxPerOrganization, heldJobs, takesOver }: ClaimLimits,
) {
  const claimed = yield* inPostgres(database =>
    database.all(claimInPostgres, { owner, leaseMs, heldJobs, maxPerOrganization, takesOver }),
  )
  if (claimed) return claimed[0]
  const limits = { maxPerOrganization, heldJobs: JSON.stringify(heldJobs), takesOver: +takesOver }
  const chosen = yield* get(chooseInSqlite, { now, owner, ...limits })
  const row = chosen && (yield* get(take, { jobId: chosen.job_id, owner, now, leaseMs }))
  if (row) yield* run(takeTurn, { organizationId: row.organization_id })
  return row
}

/** Adds the event of a job that completed or failed to the queue of webhooks. */
function* tellEnd(row: ExportJobRow, now: number): Work<void> {
  const type = row.status === 'completed' ? 'export.completed' : 'export.failed'
  const webhookIds = yield* findSubscribed(row.organization_id, type)
  if (webhookIds.length === 0) return
  const changes = row.changes === null ? null : JSON.parse(row.changes)
  yield* enqueue(webhookIds, { type, subject: row.job_id, data: toEventData(row), now, more: { changes } })
}

/** As `getStaticExportJob` answers it. */
function toEventData(row: ExportJobRow): object {
  return {
    jobId: row.job_id,
    status: row.status,
    progress: row.progress,
    pageCount: row.page_count,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    error: row.error,
  }
}

export const exportLeases: Works<Pick<ExportJobs, Leased>> = {
  claim: atomic(function* (...[owner, now, leaseMs, limits = noLimits]: Parameters<ExportJobs['claim']>) {
    yield* run(restartLeases, { now })
    const row = yield* claimNext(owner, now, Math.round(leaseMs), limits)
    if (!row) return undefined
    return {
      job: toExportJob(row),
      lease: { jobId: row.job_id, owner, token: row.lease_token },
      interruptions: row.interruptions,
      faults: row.faults,
    }
  }, 'sqlite'),
  *heartbeat({ jobId, token }, now, leaseMs) {
    return (yield* run(heartbeat, { jobId, token, now, leaseMs: Math.round(leaseMs) })) === 1
  },
  *report({ jobId, token }, progress, pageCount, now) {
    return (yield* run(report, { jobId, token, progress, pageCount, now })) === 1
  },
  complete: atomic(function* (
    ...[{ jobId, token }, bundle, pageCount, now, counts]: Parameters<ExportJobs['complete']>
  ) {
    const { fileName, sizeBytes, sha256 } = bundle
    const changes = counts ? JSON.stringify(counts) : null
    const row = yield* get(complete, { jobId, token, fileName, sizeBytes, sha256, pageCount, now, changes })
    if (row) yield* tellEnd(row, now)
    return (row ?? (yield* get(wasCompleted, { jobId, token, fileName }))) !== undefined
  }, 'repeatable'),
  fail: atomic(function* ({ jobId, token }: Held, error: string, now: number) {
    const row = yield* get(fail, { jobId, token, error, now })
    if (row) yield* tellEnd(row, now)
    return (row ?? (yield* get(hasFailed, { jobId, token, error }))) !== undefined
  }, 'repeatable'),
  cancel: atomic(function* (jobId: string, error: string, now: number) {
    const row = yield* get(cancel, { jobId, error, now })
    if (row) yield* tellEnd(row, now)
    return row !== undefined
  }),
  *release({ jobId, token }, isFault = false) {
    return (yield* run(release, { jobId, token, faults: +isFault })) === 1
  },
}
