import type { Input, Output } from '../../generated/operations.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { ExportJob } from '../export/jobs/export-job.ts'
import { type Features, resolveFeatures } from '../products/features.ts'
import type { Caller } from '../tenancy/api-key.ts'
import type { Deps } from './deps.ts'
import { toExportJobBody } from './export-job-body.ts'

const idempotencyWindowMs = 24 * 60 * 60 * 1000

export async function startStaticExportJob(
  { body, headers }: Input<'startStaticExportJob'>,
  {
    sites,
    exportJobs,
    wakeRunner,
    now,
    createJobId,
  }: Pick<Deps, 'sites' | 'exportJobs' | 'wakeRunner' | 'now' | 'createJobId'>,
  caller: Caller,
): Promise<Output<'startStaticExportJob'>> {
  const site = await sites.findOwned(caller.organizationId, body.domain.toLowerCase())
  if (!site) {
    return {
      status: 400,
      body: { error: 'domain is not a registered site of this organization. Register it, or check its spelling.' },
    }
  }
  let features: Features
  try {
    features = resolveFeatures(body.deployment, body.features ?? {})
  } catch (error) {
    if (error instanceof OperatorError) return { status: 400, body: { error: error.message } }
    throw error
  }
  const startedAt = now()
  const job: ExportJob = {
    jobId: createJobId(),
    organizationId: caller.organizationId,
    request: {
      domain: site.domain,
      version: body.version ?? null,
      paths: body.paths ?? null,
      deployment: body.deployment,
      features,
      offlineSearch: body.offlineSearch,
      verify: body.verify ?? null,
      format: body.format,
    },
    status: 'queued',
    progress: 0,
    pageCount: 0,
    error: null,
    createdAt: startedAt,
    updatedAt: startedAt,
    bundle: null,
  }
  const started = await exportJobs.start(job, headers['idempotency-key'], startedAt - idempotencyWindowMs)
  if (started === 'conflict') {
    return {
      status: 409,
      body: {
        error: 'Idempotency-Key was used with another request in the last 24 hours. Use a new key for a new request.',
      },
    }
  }
  wakeRunner()
  return {
    status: 202,
    headers: { Location: `/v1/static-export/jobs/${started.job.jobId}` },
    body: toExportJobBody(started.job),
  }
}
