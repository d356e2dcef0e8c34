import type { ExportJobs, ExportStatus } from '../../export/jobs/export-job.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

interface SummaryRow {
  job_id: string
  domain: string
  status: ExportStatus
  page_count: number
  created_at: number
}

const list = statement<{ organizationId: string; domain: string | null }, SummaryRow>(
  `SELECT job_id, domain, status, page_count, created_at FROM export_jobs
   WHERE organization_id = @organizationId AND (@domain::text IS NULL OR domain = @domain)
   ORDER BY created_at DESC, job_id`,
)
const countAhead = statement<{ organizationId: string; jobId: string; createdAt: number }, { jobs: number }>(
  // The first condition is that of the index of open jobs.
  `SELECT count(*) AS jobs FROM export_jobs
   WHERE status IN ('queued', 'running') AND status = 'queued' AND organization_id = @organizationId
     AND (created_at < @createdAt OR (created_at = @createdAt AND job_id < @jobId))`,
)

/** Reads about export jobs what does not need their requests, which can have thousands of paths. */
export function openSummaries(database: Database): Pick<ExportJobs, 'listSummaries' | 'countAhead'> {
  return {
    async listSummaries(organizationId, domain) {
      const rows = await database.all(list, { organizationId, domain: domain ?? null })
      return rows.map(row => ({
        jobId: row.job_id,
        domain: row.domain,
        status: row.status,
        pageCount: row.page_count,
        createdAt: row.created_at,
      }))
    },
    countAhead: async ({ organizationId, jobId, createdAt }) =>
      (await database.get(countAhead, { organizationId, jobId, createdAt }))?.jobs ?? 0,
  }
}
