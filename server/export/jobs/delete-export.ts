import type { BundleStore } from './bundle-store.ts'
import type { ExportJobs, UndeletedJob } from './export-job.ts'

export interface DeleteExportOptions {
  /** Milliseconds since 1970. */
  now: number
  /** Whether to delete the export even while a link to its bundle works. */
  despiteLink: boolean
}

interface DeletingStores {
  exportJobs: Pick<ExportJobs, 'find' | 'delete'>
  bundles: Pick<BundleStore, 'announceRemoval' | 'remove'>
}

/**
 * Deletes an ended export. Deletes the job before the bundle, so no completed job lacks its bundle. If the process is killed
 * in between, `moveStrays` moves the bundle to the lost folder, or `removeAbandoned` removes it from the storage. While the
 * storage cannot be reached, nothing is deleted.
 */
export async function deleteExport(
  { exportJobs, bundles }: DeletingStores,
  jobId: string,
  { now, despiteLink }: DeleteExportOptions,
): Promise<'deleted' | UndeletedJob> {
  const fileName = (await exportJobs.find(jobId))?.bundle?.fileName
  if (fileName !== undefined) await bundles.announceRemoval?.(fileName)
  const deleted = await exportJobs.delete(jobId, now, despiteLink)
  if (typeof deleted === 'string') return deleted
  if (deleted.fileName !== null) await bundles.remove(deleted.fileName)
  return 'deleted'
}
