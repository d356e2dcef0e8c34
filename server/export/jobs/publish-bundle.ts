import type { Awaitable } from '../../base/awaitable.ts'
import type { BundleStore } from './bundle-store.ts'
import type { Bundle, ExportJobs, Lease } from './export-job.ts'

/**
 * Returns the file name of a bundle. Each lease has its own name, so a runner whose lease is void cannot replace the bundle of
 * its successor.
 */
export function bundleFileName({ jobId, token }: Pick<Lease, 'jobId' | 'token'>, format: string): string {
  return `${jobId}-${token}.${format}`
}

/**
 * Publishes an archive and then completes its job, so that a completed job always has its bundle. Returns false if the lease
 * is void; the archive is then removed.
 */
export async function publishBundle(
  { exportJobs, bundles }: { exportJobs: Pick<ExportJobs, 'find'>; bundles: BundleStore },
  finished: { file: string; lease: Lease; bundle: Bundle; complete(): Awaitable<boolean> },
): Promise<boolean> {
  const { file, lease, bundle, complete } = finished
  await bundles.publish(file, bundle.fileName)
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
