import type { ExportJob } from '../../export/jobs/export-job.ts'

/** How the number of pages changed since the export of the same pages before. */
export type PageDifference = 'first' | 'same' | { more: number } | { fewer: number }

export function isOpen({ status }: Pick<ExportJob, 'status'>): boolean {
  return status === 'queued' || status === 'running'
}

/**
 * Compares a completed export with the completed export of the same site and the same paths before it.
 *
 * @param jobs of the organization, newest first
 * @return undefined if the export is not completed
 */
export function comparePages(job: ExportJob, jobs: readonly ExportJob[]): PageDifference | undefined {
  if (job.status !== 'completed') return undefined
  const at = jobs.findIndex(({ jobId }) => jobId === job.jobId)
  const scope = scopeOf(job)
  const before = jobs.slice(at + 1).find(earlier => earlier.status === 'completed' && scopeOf(earlier) === scope)
  if (!before) return 'first'
  const more = job.pageCount - before.pageCount
  if (more === 0) return 'same'
  return more > 0 ? { more } : { fewer: -more }
}

function scopeOf({ request }: ExportJob): string {
  return JSON.stringify([request.domain, request.paths?.toSorted() ?? null])
}

/** Counts the queued exports of the organization that are older than a queued one. */
export function countAhead(job: ExportJob, jobs: readonly ExportJob[]): number {
  return jobs.filter(
    ({ jobId, status, createdAt }) =>
      status === 'queued' && (createdAt < job.createdAt || (createdAt === job.createdAt && jobId < job.jobId)),
  ).length
}
