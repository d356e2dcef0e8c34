import { BoundedCache } from '../../base/bounded-cache.ts'
import { digest } from '../../base/digest.ts'
import type { ExportJob, ExportSummary, PageChanges } from '../../export/jobs/export-job.ts'
import type { DashboardDeps } from '../deps.ts'
import { exportTexts } from '../texts/exports.ts'

/** How the number of pages changed since the export of the same pages before. */
export type PageDifference = 'first' | 'same' | { more: number } | { fewer: number }

/** With how many earlier exports of its site an export is compared: each comparison may read thousands of paths. */
const maxCompared = 20
/** Which pages exports were asked for, as digests by job. The request of a job never changes. */
const scopes = new BoundedCache<string, string>(10_000)

export function isOpen({ status }: Pick<ExportJob, 'status'>): boolean {
  return status === 'queued' || status === 'running'
}

/**
 * Compares the number of pages of a completed export with that of the export before it.
 *
 * @return undefined if `findBefore` knows none
 */
export async function comparePages(
  job: ExportJob,
  summaries: readonly ExportSummary[],
  deps: Pick<DashboardDeps, 'exportJobs'>,
): Promise<PageDifference | undefined> {
  const before = await findBefore(job, summaries, deps)
  return typeof before === 'object' ? subtract(job.pageCount, before.pageCount) : before
}

/**
 * Finds the completed export of the same site and the same paths before a completed one.
 *
 * @param summaries of the organization, or of the site, newest first
 * @return undefined if the export is not completed, or none of the last `maxCompared` has the same paths
 */
export async function findBefore(
  job: ExportJob,
  summaries: readonly ExportSummary[],
  { exportJobs }: Pick<DashboardDeps, 'exportJobs'>,
): Promise<ExportSummary | 'first' | undefined> {
  const at = summaries.findIndex(({ jobId }) => jobId === job.jobId)
  if (job.status !== 'completed' || at === -1) return undefined
  const earlier = findEarlier(job.request.domain, summaries, at + 1)
  const scope = keepScope(job)
  for (const summary of earlier.slice(0, maxCompared)) {
    const known = scopes.get(summary.jobId)
    const before = known === undefined ? await exportJobs.findOwned(job.organizationId, summary.jobId) : undefined
    if ((known ?? (before && keepScope(before))) === scope) return summary
  }
  return earlier.length > maxCompared ? undefined : 'first'
}

/** Names what an export changed, such as `5 changed, 2 added`. */
export function describeChanges(changes: PageChanges): string {
  const counted = (['changed', 'added', 'removed', 'moved'] as const).filter(kind => changes[kind] > 0)
  return counted.map(kind => `${changes[kind]} ${exportTexts.changes[kind]}`).join(', ') || exportTexts.unchanged
}

/** @param words for a cell of the list, or for a sentence */
export function describeDifference(
  difference: PageDifference | undefined,
  words: typeof exportTexts.differences,
): string | undefined {
  if (difference === undefined || typeof difference === 'string') return difference && words[difference]
  return 'more' in difference ? words.more(difference.more) : words.fewer(difference.fewer)
}

/** Returns the completed exports of a site from a place in the list on; at most one more than are compared. */
function findEarlier(site: string, summaries: readonly ExportSummary[], from: number): ExportSummary[] {
  const earlier: ExportSummary[] = []
  for (let at = from; at < summaries.length && earlier.length <= maxCompared; at += 1) {
    const summary = summaries[at]
    if (summary?.status === 'completed' && summary.domain === site) earlier.push(summary)
  }
  return earlier
}

function keepScope({ jobId, request: { domain, paths } }: ExportJob): string {
  const known = scopes.get(jobId)
  if (known !== undefined) return known
  const scope = digest(JSON.stringify([domain, paths?.toSorted() ?? null]))
  scopes.set(jobId, scope)
  return scope
}

function subtract(pages: number, before: number): PageDifference {
  if (pages === before) return 'same'
  return pages > before ? { more: pages - before } : { fewer: before - pages }
}
