import type { Awaitable } from '../../base/awaitable.ts'
import { type Patience, untilStored } from '../../base/until-stored.ts'
import type { BundleStore } from './bundle-store.ts'
import type { Bundle, ExportJobs, Lease } from './export-job.ts'

/** A finished archive, and how it is recorded. */
interface FinishedArchive {
  file: string
  lease: Lease
  bundle: Bundle
  complete(): Awaitable<boolean>
  /** How long to try while the storage of the bundles cannot be reached; absent = once. */
  patience?: Patience
}

/**
 * Publishes an archive and then completes its job, so that a completed job always has its bundle. Returns false if the lease
 * is void; the archive is then removed.
 */
export async function publishBundle(
  { exportJobs, bundles }: { exportJobs: Pick<ExportJobs, 'find'>; bundles: BundleStore },
  finished: FinishedArchive,
): Promise<boolean> {
  const { file, lease, bundle, complete, patience } = finished
  const publish = async () => bundles.publish(file, bundle, patience?.signal)
  await (patience ? untilStored(publish, patience) : publish())
  let failure: unknown
  try {
    if (await complete()) return true
  } catch (error) {
    failure = error
  }
  // The database may have recorded the bundle before it reported an error.
  const job = await exportJobs.find(lease.jobId)
  if (job?.bundle?.fileName === bundle.fileName) return true
  await bundles.remove(bundle.fileName)
  if (failure !== undefined) throw failure
  return false
}
