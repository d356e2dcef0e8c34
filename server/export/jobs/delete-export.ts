import type { BundleStore } from './bundle-store.ts'
import type { ExportJobs, UndeletedJob } from './export-job.ts'

export interface DeleteExportOptions {
  /** Milliseconds since 1970. */
  now: number
  /** Whether to delete the export even while a link to its bundle works. */
  despiteLink: boolean
}

/**
 * Deletes an ended export. Deletes the job before the bundle, so no completed job lacks its bundle. If the process is killed
 * in between, `moveStrays` moves the bundle to the lost folder.
 */
export async function deleteExport(
  stores: { exportJobs: Pick<ExportJobs, 'delete'>; bundles: Pick<BundleStore, 'remove'> },
  jobId: string,
  { now, despiteLink }: DeleteExportOptions,
): Promise<'deleted' | UndeletedJob> {
  const deleted = await stores.exportJobs.delete(jobId, now, despiteLink)
  if (typeof deleted === 'string') return deleted
  if (deleted.fileName !== null) await stores.bundles.remove(deleted.fileName)
  return 'deleted'
}
