import type { Input, Output } from '../../generated/operations.ts'
import { explainCondition } from '../export/jobs/bundle-store.ts'
import type { Caller } from '../tenancy/api-key.ts'
import type { Deps } from './deps.ts'
import { toExportJobBody } from './startStaticExportJob.ts'
import { unknownExportJob } from './unknown.ts'

/** The job of a bundle that is missing or damaged stays completed, and `error` says what happened. */
export async function getStaticExportJob(
  { params }: Input<'getStaticExportJob'>,
  { exportJobs, bundles }: Pick<Deps, 'exportJobs' | 'bundles'>,
  caller: Caller,
): Promise<Output<'getStaticExportJob'>> {
  const job = await exportJobs.findOwned(caller.organizationId, params.jobId)
  if (!job) return { status: 404, body: unknownExportJob }
  const fault = job.bundle && explainCondition(await bundles.check(job.bundle), bundles)
  return { status: 200, body: toExportJobBody({ ...job, error: job.error ?? fault }) }
}
