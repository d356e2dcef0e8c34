import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { deleteExport as deleteWithBundle } from '../../export/jobs/delete-export.ts'
import type { Client } from '../client.ts'
import { unknownExportJob } from '../unknown.ts'
import { type ExtensionDeps, recordByClient } from './deps.ts'
import { toListedExport } from './listExports.ts'

export async function deleteExport(
  { params: { jobId } }: Input<'deleteExport'>,
  deps: Pick<ExtensionDeps, 'exportJobs' | 'bundles' | 'atomically' | 'now'>,
  client: Client,
): Promise<Output<'deleteExport'>> {
  const job = await deps.exportJobs.findOwned(client.organizationId, jobId)
  if (!job) return { status: 404, body: unknownExportJob }
  const event = { action: 'export.deleted', subject: jobId, detail: job.request.domain } as const
  const recorded = {
    find: () => job,
    delete: (id: string, now: number, despiteLink: boolean) =>
      recordByClient(deps, client, event, {
        change: ({ exportJobs }) => exportJobs.delete(id, now, despiteLink),
        isChange: outcome => typeof outcome !== 'string',
      }),
  }
  const stores = { exportJobs: recorded, bundles: deps.bundles }
  const outcome = await deleteWithBundle(stores, jobId, { now: deps.now(), despiteLink: false })
  if (outcome === 'deleted') return { status: 200, body: toListedExport(job) }
  if (outcome === 'unknown') return { status: 404, body: unknownExportJob }
  return { status: 409, body: outcome === 'open' ? stillOpen : stillLinked }
}

const stillOpen = {
  error: 'The export has not ended. Cancel it, or wait until it has ended.',
  code: 'export_open',
}

const stillLinked = {
  error: 'A link to the bundle still works. Delete the export after the link has expired.',
  code: 'bundle_linked',
}
