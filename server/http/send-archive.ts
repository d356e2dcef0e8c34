import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import type { ByteSpan } from '../export/jobs/bundle-store.ts'
import { bundleRefusals } from './bundle-refusals.ts'
import { correctRange, findRange } from './byte-range.ts'

/** An archive that is sent as an answer. */
export interface SentArchive {
  sizeBytes: number
  /** Opens the archive, or a part of it. */
  open(span?: ByteSpan): Promise<Readable>
}

/**
 * Answers a GET or HEAD with an archive, or with the range of it that the request names. The headers of the answer, with a
 * strong `ETag`, are set before. Follows RFC 9110, sections 13 and 14; several ranges are answered with the whole archive.
 *
 * @throws {HttpError} 412 or 416
 */
export async function sendArchive(req: Request, res: Response, { sizeBytes, open }: SentArchive): Promise<void> {
  res.set('Accept-Ranges', 'bytes')
  if (!isMatch(req, res)) throw bundleRefusals.noMatch()
  if (req.fresh) {
    res.removeHeader('Content-Type')
    res.status(304).end()
    return
  }
  const span = chooseSpan(req, res, sizeBytes)
  // Opened before the headers are set, so that an archive that cannot be opened is an error with a status.
  const bytes = req.method === 'HEAD' ? undefined : await open(span)
  if (span) res.status(206).set('Content-Range', `bytes ${span.first}-${span.last}/${sizeBytes}`)
  res.set('Content-Length', String(span ? span.last - span.first + 1 : sizeBytes))
  if (!bytes) {
    res.end()
    return
  }
  try {
    await pipeline(bytes, res)
  } catch (error) {
    // The client closed the connection.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

/** Whether `If-Match` allows the answer. */
function isMatch(req: Request, res: Response): boolean {
  const wanted = req.headers['if-match']
  if (wanted === undefined || wanted.trim() === '*') return true
  const etag = res.get('ETag')
  return wanted.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)
}

/** Returns the range that the request names; undefined = the whole archive. */
function chooseSpan(req: Request, res: Response, sizeBytes: number): ByteSpan | undefined {
  const header = correctRange(findRange(req.method, req.headers as { 'if-range'?: string }), sizeBytes)
  const ifRange = req.headers['if-range'] as string | undefined
  if (!header?.startsWith('bytes=') || (ifRange !== undefined && ifRange.trim() !== res.get('ETag'))) return undefined
  req.headers.range = header
  const ranges = req.range(sizeBytes, { combine: true })
  if (ranges === -1) throw bundleRefusals.badRange(sizeBytes)
  const [range] = Array.isArray(ranges) && ranges.length === 1 ? ranges : []
  return range && { first: range.start, last: range.end }
}
