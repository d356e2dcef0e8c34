import { maxLinkTtlSeconds } from '../../export/jobs/bundle-link.ts'
import type { ExportJobs } from '../../export/jobs/export-job.ts'
import { type ExportJobRow, toExportJob } from '../export-job-row.ts'
import { openAuditLog } from './audit-log.ts'
import type { Database } from './database.ts'
import { openExportLeases } from './export-leases.ts'
import { openSummaries } from './export-summaries.ts'
import { deleteKeysOfJob, deleteOldKeys } from './idempotency-keys.ts'
import { findJob, openStart } from './start-export.ts'
import { statement } from './statement.ts'

/** If a link expires later than this after now, the clock was set back after the link was made. */
const maxLinkMs = maxLinkTtlSeconds * 1000

const findOwned = statement<{ organizationId: string; jobId: string }, ExportJobRow>(
  'SELECT * FROM export_jobs WHERE job_id = @jobId AND organization_id = @organizationId',
)
const list = statement<{ organizationId: string | null; limit: number | null }, ExportJobRow>(
  `SELECT * FROM export_jobs WHERE @organizationId::text IS NULL OR organization_id = @organizationId
   ORDER BY created_at DESC, job_id LIMIT @limit`,
)
const countOpen = statement<{ organizationId: string }, { status: 'queued' | 'running'; jobs: number }>(
  `SELECT status, count(*) AS jobs FROM export_jobs
   WHERE status IN ('queued', 'running') AND organization_id = @organizationId GROUP BY status`,
)
const noteLink = statement<{ jobId: string; expiresAt: number }>(
  `UPDATE export_jobs SET link_expires_at = greatest(@expiresAt::bigint,
     CASE WHEN link_expires_at <= @expiresAt::bigint + ${maxLinkMs} THEN link_expires_at END)
   WHERE job_id = @jobId AND status = 'completed'`,
)
const noteDamage = statement<{ fileName: string; damage: string | null }>(
  'UPDATE export_jobs SET bundle_damage = @damage WHERE bundle_file = @fileName',
  { isRepeatable: true },
)
const lastLinkExpiry = statement<{ now: number }, { expires_at: number | null }>(
  'SELECT max(link_expires_at) AS expires_at FROM export_jobs WHERE link_expires_at >= @now',
)
const countLinked = statement<{ now: number }, { jobs: number }>(
  'SELECT count(*) AS jobs FROM export_jobs WHERE link_expires_at >= @now',
)
const forgetLinks = statement<{ now: number }>(
  'UPDATE export_jobs SET link_expires_at = NULL WHERE link_expires_at >= @now',
)
const findEnded = statement<{ endedBefore: number; now: number }, { job_id: string }>(
  `SELECT job_id FROM export_jobs
   WHERE status IN ('completed', 'failed') AND updated_at < @endedBefore
     AND (link_expires_at IS NULL OR link_expires_at < @now OR link_expires_at > @now + ${maxLinkMs})
   ORDER BY updated_at`,
)
const lockJob = statement<{ jobId: string }, ExportJobRow>('SELECT * FROM export_jobs WHERE job_id = @jobId FOR UPDATE')
const remove = statement<{ jobId: string }>('DELETE FROM export_jobs WHERE job_id = @jobId')

export function openExportJobs(database: Database): ExportJobs {
  return {
    start: openStart(database),
    deleteOldKeys: async createdBefore => void (await database.run(deleteOldKeys, { createdBefore })),
    async findOwned(organizationId, jobId) {
      const row = await database.get(findOwned, { organizationId, jobId })
      return row && toExportJob(row)
    },
    async find(jobId) {
      const row = await database.get(findJob, { jobId })
      return row && toExportJob(row)
    },
    list: async ({ organizationId, limit }) =>
      (await database.all(list, { organizationId: organizationId ?? null, limit: limit ?? null })).map(toExportJob),
    async countOpen(organizationId) {
      const counts = { queued: 0, running: 0 }
      for (const { status, jobs } of await database.all(countOpen, { organizationId })) counts[status] = jobs
      return counts
    },
    findLastLinkExpiry: async now => (await database.get(lastLinkExpiry, { now }))?.expires_at ?? undefined,
    countLinked: async now => (await database.get(countLinked, { now }))?.jobs ?? 0,
    forgetLinks: now => database.run(forgetLinks, { now }),
    noteDamage: async (fileName, damage) => void (await database.run(noteDamage, { fileName, damage })),
    noteLink: (jobId, expiresAt, event) =>
      database.atomically(async within => {
        const isNoted = (await within.run(noteLink, { jobId, expiresAt })) === 1
        if (isNoted && event) await openAuditLog(within).append(event)
        return isNoted
      }),
    findEnded: async (endedBefore, now) =>
      (await database.all(findEnded, { endedBefore, now })).map(({ job_id }) => job_id),
    delete: openDelete(database),
    ...openSummaries(database),
    ...openExportLeases(database),
  }
}

function openDelete(database: Database): ExportJobs['delete'] {
  return (jobId, now, despiteLink) =>
    database.atomically(async within => {
      const row = await within.get(lockJob, { jobId })
      if (!row) return 'unknown'
      if (row.status === 'queued' || row.status === 'running') return 'open'
      const linkMs = (row.link_expires_at ?? 0) - now
      if (!despiteLink && linkMs >= 0 && linkMs <= maxLinkMs) return 'linked'
      await within.run(deleteKeysOfJob, { jobId })
      await within.run(remove, { jobId })
      return { fileName: row.bundle_file }
    })
}
