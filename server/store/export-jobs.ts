import { digestJson } from '../base/digest.ts'
import { maxLinkTtlSeconds } from '../export/jobs/bundle-link.ts'
import type { ExportJobs } from '../export/jobs/export-job.ts'
import type { AuditLog } from '../tenancy/audit-event.ts'
import { openAuditLog } from './audit-log.ts'
import type { Database } from './database.ts'
import { type ExportJobRow, toExportJob } from './export-job-row.ts'
import { openExportLeases } from './export-leases.ts'
import { prepareSummaries } from './export-summaries.ts'
import { openIdempotencyKeys } from './idempotency-keys.ts'

/** If a link expires later than this after now, the clock was set back after the link was made. */
const maxLinkMs = maxLinkTtlSeconds * 1000

export function openExportJobs(database: Database): ExportJobs {
  const keys = openIdempotencyKeys(database)
  const find = prepareFind(database)
  const findOwned = database.prepare<{ organizationId: string; jobId: string }, ExportJobRow>(
    'SELECT * FROM export_jobs WHERE job_id = @jobId AND organization_id = @organizationId',
  )
  const list = database.prepare<{ organizationId: string | null; limit: number }, ExportJobRow>(
    `SELECT * FROM export_jobs WHERE @organizationId IS NULL OR organization_id = @organizationId
     ORDER BY created_at DESC, job_id LIMIT @limit`,
  )
  const auditLog = openAuditLog(database)
  const noteLink = database.prepare<{ jobId: string; expiresAt: number }>(
    `UPDATE export_jobs
     SET link_expires_at = max(@expiresAt, iif(link_expires_at <= @expiresAt + ${maxLinkMs}, link_expires_at, 0))
     WHERE job_id = @jobId AND status = 'completed'`,
  )
  const noteDamage = database.prepare<{ fileName: string; damage: string | null }>(
    'UPDATE export_jobs SET bundle_damage = @damage WHERE bundle_file = @fileName',
  )
  const findEnded = database.prepare<{ endedBefore: number; now: number }, { job_id: string }>(
    `SELECT job_id FROM export_jobs
     WHERE status IN ('completed', 'failed') AND updated_at < @endedBefore
       AND (link_expires_at IS NULL OR link_expires_at < @now OR link_expires_at > @now + ${maxLinkMs})
     ORDER BY updated_at`,
  )

  return {
    start: prepareStart(database, auditLog),
    findOwned(organizationId, jobId) {
      const row = findOwned.get({ organizationId, jobId })
      return row && toExportJob(row)
    },
    find(jobId) {
      const row = find.get({ jobId })
      return row && toExportJob(row)
    },
    // A negative limit is none (https://sqlite.org/lang_select.html).
    list: ({ organizationId = null, limit = -1 }) => list.all({ organizationId, limit }).map(toExportJob),
    countOpen: prepareCountOpen(database),
    ...prepareLinks(database),
    noteDamage: (fileName, damage) => void noteDamage.run({ fileName, damage }),
    noteLink: database.transaction<ExportJobs['noteLink']>((jobId, expiresAt, event) => {
      const isNoted = noteLink.run({ jobId, expiresAt }).changes === 1
      if (isNoted && event) auditLog.append(event)
      return isNoted
    }).immediate,
    findEnded: (endedBefore, now) => findEnded.all({ endedBefore, now }).map(({ job_id }) => job_id),
    delete: prepareDelete(database),
    deleteOldKeys: keys.deleteOld,
    ...prepareSummaries(database),
    ...openExportLeases(database),
  }
}

function prepareLinks(database: Database): Pick<ExportJobs, 'findLastLinkExpiry' | 'countLinked' | 'forgetLinks'> {
  const lastLinkExpiry = database.prepare<{ now: number }, { expires_at: number | null }>(
    'SELECT max(link_expires_at) AS expires_at FROM export_jobs WHERE link_expires_at >= @now',
  )
  const countLinked = database.prepare<{ now: number }, { jobs: number }>(
    'SELECT count(*) AS jobs FROM export_jobs WHERE link_expires_at >= @now',
  )
  const forgetLinks = database.prepare<{ now: number }>(
    'UPDATE export_jobs SET link_expires_at = NULL WHERE link_expires_at >= @now',
  )
  return {
    findLastLinkExpiry: now => lastLinkExpiry.get({ now })?.expires_at ?? undefined,
    countLinked: now => countLinked.get({ now })?.jobs ?? 0,
    forgetLinks: now => forgetLinks.run({ now }).changes,
  }
}

function prepareCountOpen(database: Database): ExportJobs['countOpen'] {
  const count = database.prepare<{ organizationId: string }, { status: 'queued' | 'running'; jobs: number }>(
    `SELECT status, count(*) AS jobs FROM export_jobs
     WHERE status IN ('queued', 'running') AND organization_id = @organizationId GROUP BY status`,
  )
  return organizationId => {
    const counts = { queued: 0, running: 0 }
    for (const { status, jobs } of count.all({ organizationId })) counts[status] = jobs
    return counts
  }
}

function prepareStart(database: Database, auditLog: AuditLog): ExportJobs['start'] {
  const keys = openIdempotencyKeys(database)
  const find = prepareFind(database)
  const insert = database.prepare(
    `INSERT INTO export_jobs (job_id, organization_id, domain, request, status, created_at, updated_at)
     VALUES (@jobId, @organizationId, @domain, @request, 'queued', @createdAt, @createdAt)`,
  )
  const countQueued = database.prepare<{ organizationId: string }, { queued: number }>(
    // The first condition is that of the index of open jobs.
    `SELECT count(*) AS queued FROM export_jobs
     WHERE status IN ('queued', 'running') AND status = 'queued' AND organization_id = @organizationId`,
  )
  const start: ExportJobs['start'] = (
    job,
    idempotencyKey,
    keysSince,
    maxQueued = Number.POSITIVE_INFINITY,
    event = undefined,
  ) => {
    const requestSha256 = digestJson(job.request)
    const { organizationId, jobId, createdAt } = job
    if (idempotencyKey !== undefined) {
      const used = keys.find(organizationId, idempotencyKey, { since: keysSince, now: createdAt })
      if (used && used.request_sha256 !== requestSha256) return 'conflict'
      if (used) return { job: toExportJob(find.get({ jobId: used.job_id }) as ExportJobRow), isReplayed: true }
    }
    const { queued } = countQueued.get({ organizationId }) as { queued: number }
    if (queued >= maxQueued) return { queued }
    insert.run({ jobId, organizationId, domain: job.request.domain, request: JSON.stringify(job.request), createdAt })
    if (idempotencyKey !== undefined) {
      keys.put({ organizationId, idempotencyKey, requestSha256, jobId, createdAt })
    }
    if (event) auditLog.append(event)
    return { job, isReplayed: false }
  }
  return database.transaction(start).immediate
}

function prepareDelete(database: Database): ExportJobs['delete'] {
  const keys = openIdempotencyKeys(database)
  const find = prepareFind(database)
  const remove = database.prepare<{ jobId: string }>('DELETE FROM export_jobs WHERE job_id = @jobId')
  return database.transaction((jobId: string, now: number, despiteLink: boolean) => {
    const row = find.get({ jobId })
    if (!row) return 'unknown'
    if (row.status === 'queued' || row.status === 'running') return 'open'
    const linkMs = (row.link_expires_at ?? 0) - now
    if (!despiteLink && linkMs >= 0 && linkMs <= maxLinkMs) return 'linked'
    keys.deleteOfJob(jobId)
    remove.run({ jobId })
    return { fileName: row.bundle_file }
  }).immediate
}

function prepareFind(database: Database) {
  return database.prepare<{ jobId: string }, ExportJobRow>('SELECT * FROM export_jobs WHERE job_id = @jobId')
}
