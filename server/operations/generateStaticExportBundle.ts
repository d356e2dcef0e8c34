import type { Input, Output } from '../../generated/operations.ts'
import { explainCondition } from '../export/jobs/bundle-store.ts'
import type { Bundle, ExportJob } from '../export/jobs/export-job.ts'
import { type Client, toClientEvent } from './client.ts'
import type { Deps } from './deps.ts'
import { unknownExportJob } from './unknown.ts'

type Links = Pick<Deps, 'bundleLinks' | 'presignLink' | 'sites'>

/**
 * Answers 409 until the job is completed, and 500 if its archive is missing or damaged. Every call returns a new link to the
 * same archive.
 */
export async function generateStaticExportBundle(
  { params }: Input<'generateStaticExportBundle'>,
  { exportJobs, bundles, now, ...links }: Pick<Deps, 'exportJobs' | 'bundles' | 'now'> & Links,
  client: Client,
): Promise<Output<'generateStaticExportBundle'>> {
  const job = await exportJobs.findOwned(client.organizationId, params.jobId)
  if (job && !job.bundle)
    return {
      status: 409,
      body: {
        error: whyNoBundle(job.status),
        code: job.status === 'failed' ? 'export_failed' : 'export_not_completed',
      },
    }
  const fault = job?.bundle && explainCondition(await bundles.check(job.bundle), bundles)
  if (fault) return { status: 500, body: { error: fault, code: 'bundle_damaged' } }
  const at = now()
  const link = job?.bundle && (await createLink({ ...job, bundle: job.bundle }, links, client, at))
  // Stored before the link is sent, because a job with a valid link is not deleted, and before it is signed, because a rotation of the
  // key asks the store how long the links of the old key live.
  const isThere = job && link && (await exportJobs.noteLink(job.jobId, link.expiresAt, toEvent(job, client, at)))
  if (!job?.bundle || !link || !isThere) {
    return { status: 404, body: unknownExportJob }
  }
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: {
      jobId: job.jobId,
      bundleUrl: link.toUrl(),
      sizeBytes: job.bundle.sizeBytes,
      sha256: job.bundle.sha256,
      expiresAt: new Date(link.expiresAt).toISOString(),
    },
  }
}

async function createLink(
  job: ExportJob & { bundle: Bundle },
  { bundleLinks, presignLink, sites }: Links,
  { address }: Client,
  at: number,
): Promise<{ expiresAt: number; toUrl(): string }> {
  if (presignLink) {
    const site = await sites.findOwned(job.organizationId, job.request.domain)
    // The storage does not send the signature of the bundle.
    if (typeof site?.signingKeyId !== 'string') {
      const { url, expiresAt } = await presignLink(job, at)
      return { expiresAt, toUrl: () => url }
    }
  }
  const fileName = `${job.jobId}.${job.request.format}`
  const expiresAt = bundleLinks.expiresAt(at)
  return { expiresAt, toUrl: () => address.url + bundleLinks.create(job.jobId, fileName, expiresAt) }
}

function toEvent({ jobId, request }: ExportJob, client: Client, at: number) {
  return toClientEvent(client, { at, action: 'bundle-link.created', subject: jobId, detail: request.domain })
}

function whyNoBundle(status: string): string {
  return status === 'failed'
    ? 'The job failed and has no bundle. Read its error, then start another.'
    : `The job is ${status}. Poll it until it is completed, then ask again.`
}
