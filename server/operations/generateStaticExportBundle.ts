import type { Input, Output } from '../../generated/operations.ts'
import type { Caller } from '../tenancy/api-key.ts'
import type { Deps } from './deps.ts'

/** Answers 409 until the job is completed. Every call gives a fresh link to the same archive. */
export async function generateStaticExportBundle(
  { params }: Input<'generateStaticExportBundle'>,
  { exportJobs, bundleLinks, now }: Pick<Deps, 'exportJobs' | 'bundleLinks' | 'now'>,
  caller: Caller,
): Promise<Output<'generateStaticExportBundle'>> {
  const job = await exportJobs.findOwned(caller.organizationId, params.jobId)
  if (!job) return noJob
  if (!job.bundle) return { status: 409, body: { error: whyNoBundle(job.status) } }
  const { url, expiresAt } = bundleLinks.create(job.jobId, job.bundle.fileName, now())
  // Before the link is out: a job with a living link is not deleted.
  if (!(await exportJobs.noteLink(job.jobId, expiresAt))) return noJob
  return {
    status: 200,
    body: {
      jobId: job.jobId,
      bundleUrl: url,
      sizeBytes: job.bundle.sizeBytes,
      sha256: job.bundle.sha256,
      expiresAt: new Date(expiresAt).toISOString(),
    },
  }
}

const noJob = {
  status: 404,
  body: { error: 'No export job of this organization has the id in the path.' },
} as const

function whyNoBundle(status: string): string {
  return status === 'failed'
    ? 'The job failed and has no bundle. Read its error, then start another.'
    : `The job is ${status}. Poll it until it is completed, then ask again.`
}
