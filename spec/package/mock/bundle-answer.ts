import { bundleRefusals } from '../../../server/http/bundle-refusals.ts'
import { correctRange, findRange } from '../../../server/http/byte-range.ts'
import { toErrorBody } from '../../../server/http/error-body.ts'
import { toErrorResponse } from '../../../server/http/fetch-response.ts'
import type { HttpError } from '../../../server/http/http-error.ts'
import { refuseUnknown } from '../../../server/http/routes.ts'
import type { Deps } from '../../../server/operations/deps.ts'
import { packSite } from './bundle-site.ts'

/**
 * Answers a request for a bundle as the server does: with a valid link and without a key. Knows HEAD, Range with one range, If-Range,
 * If-Match and If-None-Match.
 *
 * @param target the undecoded path and query
 * @param error the answer to a valid method; undefined = the usual one
 */
export async function answerBundle(
  request: Request,
  { target, headers, error }: { target: string; headers: Headers; error: HttpError | undefined },
  { bundleLinks, exportJobs, now }: Pick<Deps, 'bundleLinks' | 'exportJobs' | 'now'>,
): Promise<Response> {
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD') return refuse(refuseUnknown(method, target), request, headers)
  if (error) return refuse(error, request, headers)
  if (!bundleLinks.isValid(target, now())) return refuse(bundleRefusals.invalidLink(), request, headers)
  const job = await exportJobs.find(target.split('/')[2] ?? '')
  if (!job?.bundle) return refuse(bundleRefusals.gone(), request, headers)
  const { domain, format } = job.request
  const { bytes, sha256 } = packSite(format)
  const etag = `"${sha256}"`
  headers.set('ETag', etag)
  headers.set('Cache-Control', 'private')
  headers.set('Accept-Ranges', 'bytes')
  headers.set('Content-Disposition', `attachment; filename="${domain}-${job.jobId}.${format}"`)
  headers.set('Content-Type', format === 'zip' ? 'application/zip' : 'application/gzip')
  const wanted = request.headers.get('If-Match')
  if (wanted !== null && wanted !== '*' && !list(wanted).includes(etag))
    return refuse(bundleRefusals.noMatch(), request, headers)
  const known = request.headers.get('If-None-Match')
  if (known !== null && (known === '*' || list(known).some(tag => tag.replace(/^W\//, '') === etag))) {
    return new Response(null, { status: 304, headers })
  }
  return sendRange(request, { bytes, etag, headers })
}

function sendRange(
  request: Request,
  { bytes, etag, headers }: { bytes: Uint8Array<ArrayBuffer>; etag: string; headers: Headers },
): Response {
  const ifRange = request.headers.get('If-Range') ?? undefined
  const given = { range: request.headers.get('Range') ?? undefined, 'if-range': ifRange }
  const range = ifRange === undefined || ifRange === etag ? findRange(request.method, given) : undefined
  const place = readRange(correctRange(range, bytes.length), bytes.length)
  if (place === 'outside') return refuse(bundleRefusals.badRange(bytes.length), request, headers)
  const part = place ? bytes.slice(place.first, place.last + 1) : bytes
  if (place) headers.set('Content-Range', `bytes ${place.first}-${place.last}/${bytes.length}`)
  headers.set('Content-Length', String(part.length))
  return new Response(request.method === 'HEAD' ? null : part, { status: place ? 206 : 200, headers })
}

/** Returns the positions of a range; undefined for the whole file, also if several ranges are asked for. */
function readRange(
  range: string | undefined,
  sizeBytes: number,
): { first: number; last: number } | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return Number(last) === 0 ? 'outside' : { first: sizeBytes - Number(last), last: sizeBytes - 1 }
  if (Number(first) >= sizeBytes) return 'outside'
  return { first: Number(first), last: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) }
}

function list(header: string): string[] {
  return header.split(',').map(tag => tag.trim())
}

function refuse(error: HttpError, request: Request, headers: Headers): Response {
  for (const name of ['ETag', 'Cache-Control', 'Accept-Ranges', 'Content-Disposition']) headers.delete(name)
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value)
  return toErrorResponse(request, error.status, toErrorBody(error, undefined), headers)
}
