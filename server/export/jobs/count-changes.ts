import { setTimeout } from 'node:timers/promises'
import type { CutChanges } from '../compare/cut-changes.ts'
import type { Bundle, ExportJob, ExportJobs, PageChanges } from './export-job.ts'

/** Compares the texts of two bundles, in a thread. The first answer may take long, and none may come while others wait. */
export type CompareBundles = (before: Bundle, after: Bundle) => Promise<CutChanges | 'failed'>

interface CountDeps {
  exportJobs: Pick<ExportJobs, 'findLastCompleted'>
  /** Absent = exports are not compared. */
  compareBundles?: CompareBundles
  log: { warn(details: object, message: string): void }
}

/** How long a finished export waits for the comparison. */
const patienceMs = 60_000

/**
 * Counts the pages that an export added, removed, moved and changed, by their texts, since the last completed export of the same site
 * and paths. A failure does not fail the export.
 *
 * @returns null if there is none, or the bundles cannot be compared in time.
 * @throws the reason of the signal if it aborts.
 */
export async function countChanges(
  deps: CountDeps,
  job: Pick<ExportJob, 'jobId' | 'organizationId' | 'request'>,
  bundle: Bundle,
  signal: AbortSignal,
): Promise<PageChanges | null> {
  try {
    return await compareWithEarlier(deps, job, bundle, signal)
  } catch (error) {
    signal.throwIfAborted()
    deps.log.warn({ err: error, jobId: job.jobId }, 'could not compare the export with the one before it')
    return null
  }
}

async function compareWithEarlier(
  { exportJobs, compareBundles }: CountDeps,
  { organizationId, request }: Pick<ExportJob, 'organizationId' | 'request'>,
  bundle: Bundle,
  signal: AbortSignal,
): Promise<PageChanges | null> {
  if (!compareBundles) return null
  const before = (await exportJobs.findLastCompleted(organizationId, request))?.bundle
  if (!before) return null
  if (before.sha256 === bundle.sha256) return { added: 0, removed: 0, moved: 0, changed: 0 }
  const late = setTimeout(patienceMs, 'failed' as const, { ref: false, signal })
  const outcome = await Promise.race([compareBundles(before, bundle), late])
  if (outcome === 'failed') return null
  const { added, removed, moved, changed } = outcome.counts
  return { added, removed, moved, changed }
}
