import type { Readable } from 'node:stream'
import { type Request, type Response, Router } from 'express'
import { signatureHeader } from '../base/signature.ts'
import { describeDownload } from '../export/jobs/bundle-download.ts'
import type { BundleLinks } from '../export/jobs/bundle-link.ts'
import { type BundleStore, type ByteSpan, explainCondition } from '../export/jobs/bundle-store.ts'
import type { ExportJobs } from '../export/jobs/export-job.ts'
import type { SignBundle } from '../export/jobs/sign-bundle.ts'
import { includesStaticExport, type Organizations } from '../tenancy/organization.ts'
import { bundleRefusals } from './bundle-refusals.ts'
import { correctRange, findRange } from './byte-range.ts'
import { HttpError } from './http-error.ts'
import { sendAndFree } from './send-and-free.ts'

/**
 * Serves bundles to anyone with a valid link, without an API key. Supports HEAD, Range, ETag and If-None-Match. A missing or
 * damaged archive is a 500, because a deployment must not start with it.
 */
export function bundleRouter({
  bundleLinks,
  exportJobs,
  bundles,
  organizations,
  signBundle,
  now,
}: {
  bundleLinks: BundleLinks
  exportJobs: Pick<ExportJobs, 'find'>
  bundles: Pick<BundleStore, 'verify' | 'open' | 'place'>
  organizations: Pick<Organizations, 'find'>
  signBundle: SignBundle
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
    if (job && !(organization && includesStaticExport(organization.plan))) {
      throw new HttpError(
        403,
        'plan_required',
        'The organization of this link can no longer use static export. Ask its administrator.',
      )
    }
    if (!job?.bundle) throw bundleRefusals.gone()
    const fault = explainCondition(await bundles.verify(job.bundle), bundles)
    if (fault !== null) throw new HttpError(500, 'bundle_damaged', fault)
    const { sizeBytes, sha256, fileName } = job.bundle
    const download = describeDownload(job)
    const signature = await signBundle({ ...job, bundle: job.bundle })
    await sendArchive(req, res, {
      sizeBytes,
      etag: `"${sha256}"`,
      headers: {
        'Content-Disposition': `attachment; filename="${download.fileName}"`,
        'Content-Type': download.contentType,
        ...(signature !== null && { [signatureHeader]: signature }),
      },
      open: span => bundles.open(fileName, span),
    })
  })
  return router
}

/** An archive that is sent as an answer. */
interface SentArchive {
  sizeBytes: number
  /** A strong one. */
  etag: string
  /** What else describes the archive, such as its type. Refusals do not have these headers. */
  headers: Record<string, string>
  /** Opens the archive, or a part of it. Each chunk of the stream is freed when it is sent. */
  open(span?: ByteSpan): Promise<Readable>
}

/**
 * Answers a GET or HEAD with an archive, or with the range of it that the request names. Follows RFC 9110, sections 13 and 14;
 * several ranges are answered with the whole archive.
 *
 * @throws {HttpError} 412 or 416
 */
async function sendArchive(req: Request, res: Response, archive: SentArchive): Promise<void> {
  const { sizeBytes, etag, headers } = archive
  if (!isMatch(req, etag)) throw bundleRefusals.noMatch()
  res.set({ 'Accept-Ranges': 'bytes', 'Cache-Control': 'private', ETag: etag })
  if (req.fresh) {
    res.status(304).end()
    return
  }
  const span = chooseSpan(req, etag, sizeBytes)
  // Opened before the other headers are set, so that an archive that cannot be opened is an error with a status.
  const bytes = req.method === 'HEAD' ? undefined : await archive.open(span)
  if (span) res.status(206).set('Content-Range', `bytes ${span.first}-${span.last}/${sizeBytes}`)
  res.set({ ...headers, 'Content-Length': String(span ? span.last - span.first + 1 : sizeBytes) })
  if (bytes) await sendAndFree(res, bytes)
  else res.end()
}

/** Whether `If-Match` allows the answer. */
function isMatch(req: Request, etag: string): boolean {
  const wanted = req.headers['if-match']
  if (wanted === undefined || wanted.trim() === '*') return true
  return wanted.split(',').some(tag => tag.trim() === etag)
}

/** Returns the range that the request names; undefined = the whole archive. */
function chooseSpan(req: Request, etag: string, sizeBytes: number): ByteSpan | undefined {
  const header = correctRange(findRange(req.method, req.headers as { 'if-range'?: string }), sizeBytes)
  const ifRange = req.headers['if-range'] as string | undefined
  if (!header?.startsWith('bytes=') || (ifRange !== undefined && ifRange.trim() !== etag)) return undefined
  req.headers.range = header
  const ranges = req.range(sizeBytes, { combine: true })
  if (ranges === -1) throw bundleRefusals.badRange(sizeBytes)
  const [range] = Array.isArray(ranges) && ranges.length === 1 ? ranges : []
  return range && { first: range.start, last: range.end }
}
