import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { cancelledBy } from '../../export/jobs/export-job.ts'
import type { Client } from '../client.ts'
import { unknownExportJob } from '../unknown.ts'
import { type ExtensionDeps, recordByClient } from './deps.ts'
import { toListedExport } from './listExports.ts'

export async function cancelExport(
  { params: { jobId } }: Input<'cancelExport'>,
  deps: Pick<ExtensionDeps, 'exportJobs' | 'atomically' | 'now'>,
  client: Client,
): Promise<Output<'cancelExport'>> {
  const { organizationId, actor } = client
  const job = await deps.exportJobs.findOwned(organizationId, jobId)
  if (!job) return { status: 404, body: unknownExportJob }
  const event = { action: 'export.cancelled', subject: jobId, detail: job.request.domain } as const
  const isCancelled = await recordByClient(deps, client, event, {
    change: ({ exportJobs }) => exportJobs.cancel(jobId, cancelledBy(actor), deps.now()),
    isChange: done => done,
  })
  const now = await deps.exportJobs.findOwned(organizationId, jobId)
  if (!now) return { status: 404, body: unknownExportJob }
  if (isCancelled) return { status: 200, body: toListedExport(now) }
  const error = `The export is ${now.status}. Only a queued or running export can be cancelled.`
  return { status: 409, body: { error, code: 'export_ended' } }
}
