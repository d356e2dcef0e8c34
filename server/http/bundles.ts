import { Router } from 'express'
import { describeDownload } from '../export/jobs/bundle-download.ts'
import type { BundleLinks } from '../export/jobs/bundle-link.ts'
import { type BundleStore, explainCondition } from '../export/jobs/bundle-store.ts'
import type { ExportJobs } from '../export/jobs/export-job.ts'
import type { Organizations } from '../tenancy/organization.ts'
import { bundleRefusals } from './bundle-refusals.ts'
import { HttpError } from './http-error.ts'
import { sendArchive } from './send-archive.ts'

/**
 * Serves bundles to anyone with a valid link, without an API key. Supports HEAD, Range, ETag and If-None-Match. A missing or
 * damaged archive is a 500, because a deployment must not start with it.
 */
export function bundleRouter({
  bundleLinks,
  exportJobs,
  bundles,
  organizations,
  now,
}: {
  bundleLinks: BundleLinks
  exportJobs: Pick<ExportJobs, 'find'>
  bundles: Pick<BundleStore, 'verify' | 'open' | 'place'>
  organizations: Pick<Organizations, 'find'>
  now(): number
}): Router {
  const router = Router()
  router.get('/*path', async (req, res) => {
    if (!bundleLinks.isValid(req.originalUrl, now())) {
      throw bundleRefusals.invalidLink()
    }
    const [jobId = ''] = (req.params as unknown as { path: string[] }).path
    const job = await exportJobs.find(jobId)
    const organization = job && (await organizations.find(job.organizationId))
    if (job && organization?.plan !== 'enterprise') {
      throw new HttpError(403, 'The organization of this link can no longer use static export. Ask its administrator.')
    }
    if (!job?.bundle) throw bundleRefusals.gone()
    const fault = explainCondition(await bundles.verify(job.bundle), bundles)
    if (fault !== null) throw new HttpError(500, fault)
    const { sizeBytes, sha256, fileName } = job.bundle
    const download = describeDownload(job)
    await sendArchive(req, res, {
      sizeBytes,
      etag: `"${sha256}"`,
      headers: {
        'Content-Disposition': `attachment; filename="${download.fileName}"`,
        'Content-Type': download.contentType,
      },
      open: span => bundles.open(fileName, span),
    })
  })
  return router
}
