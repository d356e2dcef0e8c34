import type { components } from '../../generated/openapi.ts'
import type { Input, Output } from '../../generated/operations.ts'
import { OperatorError } from '../base/operator-error.ts'
import { type ExportJob, type ExportRequest, idempotencyWindowMs } from '../export/jobs/export-job.ts'
import { toPagePaths } from '../export/jobs/page-paths.ts'
import { type Features, resolveFeatures } from '../products/features.ts'
import { type Client, toClientEvent } from './client.ts'
import type { Deps } from './deps.ts'

/** When an export of the queue ends cannot be predicted. */
const retryAfterSeconds = 60

type StartDeps = Pick<Deps, 'sites' | 'exportJobs' | 'maxQueuedExports' | 'wakeRunner' | 'now' | 'createJobId'>

export async function startStaticExportJob(
  { body, headers }: Input<'startStaticExportJob'>,
  { sites, exportJobs, maxQueuedExports, wakeRunner, now, createJobId }: StartDeps,
  client: Client,
): Promise<Output<'startStaticExportJob'>> {
  const site = await sites.findOwned(client.organizationId, body.domain.toLowerCase())
  if (!site) {
    return {
      status: 400,
      body: {
        error: 'domain is not a registered site of this organization. Register it, or check its spelling.',
        code: 'unknown_domain',
      },
    }
  }
  let features: Features
  try {
    features = resolveFeatures(body.deployment, body.features ?? {})
  } catch (error) {
    if (error instanceof OperatorError)
      return { status: 400, body: { error: error.message, code: 'unavailable_feature' } }
    throw error
  }
  const startedAt = now()
  const request = toRequest(body, site.domain, features)
  const job = createQueuedJob({ jobId: createJobId(), organizationId: client.organizationId, request, startedAt })
  const keysSince = startedAt - idempotencyWindowMs
  const event = toClientEvent(client, {
    at: startedAt,
    action: 'export.started',
    subject: job.jobId,
    detail: site.domain,
  })
  const started = await exportJobs.start(job, headers['idempotency-key'], keysSince, maxQueuedExports, event)
  if (started === 'conflict') {
    return {
      status: 409,
      body: {
        error: 'Idempotency-Key was used with another request in the last 24 hours. Use a new key for a new request.',
        code: 'idempotency_conflict',
      },
    }
  }
  if ('queued' in started) {
    return {
      status: 429,
      headers: { 'Retry-After': String(retryAfterSeconds) },
      body: {
        error: `This organization has ${started.queued} queued exports, and the limit is ${maxQueuedExports}. Wait until some are completed, then start this one again.`,
        code: 'export_queue_full',
      },
    }
  }
  wakeRunner()
  // Without a public URL the path alone is right: the client reached the server at its own address.
  const base = client.address.isPublic ? client.address.url : ''
  return {
    status: 202,
    headers: {
      Location: `${base}/v1/static-export/jobs/${started.job.jobId}`,
      ...(started.isReplayed && { 'Idempotency-Replayed': 'true' }),
    },
    body: toExportJobBody(started.job),
  }
}

function toRequest(body: Input<'startStaticExportJob'>['body'], domain: string, features: Features): ExportRequest {
  return {
    domain,
    version: body.version ?? null,
    paths: toPagePaths(body.paths ?? []),
    deployment: body.deployment,
    features,
    offlineSearch: body.offlineSearch,
    verify: body.verify ?? null,
    format: body.format,
  }
}

function createQueuedJob({
  startedAt,
  ...job
}: Pick<ExportJob, 'jobId' | 'organizationId' | 'request'> & { startedAt: number }): ExportJob {
  return {
    ...job,
    status: 'queued',
    progress: 0,
    pageCount: 0,
    error: null,
    createdAt: startedAt,
    updatedAt: startedAt,
    bundle: null,
  }
}

/** Converts a job to the response body of the operations that return one. */
export function toExportJobBody(job: ExportJob): components['schemas']['ExportJob'] {
  return {
    jobId: job.jobId,
    status: job.status,
    progress: job.progress,
    pageCount: job.pageCount,
    createdAt: new Date(job.createdAt).toISOString(),
    updatedAt: new Date(job.updatedAt).toISOString(),
    error: job.error,
  }
}
