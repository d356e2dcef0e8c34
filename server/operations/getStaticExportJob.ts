import type { Input, Output } from '../../generated/operations.ts'
import type { Caller } from '../tenancy/api-key.ts'
import type { Deps } from './deps.ts'
import { toExportJobBody } from './export-job-body.ts'

export async function getStaticExportJob(
  { params }: Input<'getStaticExportJob'>,
  { exportJobs }: Pick<Deps, 'exportJobs'>,
  caller: Caller,
): Promise<Output<'getStaticExportJob'>> {
  const job = await exportJobs.findOwned(caller.organizationId, params.jobId)
  if (!job) return { status: 404, body: { error: 'This organization has no export job with the id in the path.' } }
  return { status: 200, body: toExportJobBody(job) }
}
