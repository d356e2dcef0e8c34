import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer } from '../../web/fetch/fetcher.ts'
import { totalExceeded } from '../model/limits.ts'
import type { CachedAnswer, KeptBody } from '../model/site-cache.ts'
import { digestAnswer } from './answer-digest.ts'
import { type CachedRun, storeOnRead } from './fetched-answer.ts'

/** Returns an answer from the cache. Requests the body again if the stored body is missing or damaged. */
export function openCached(context: CachedRun, start: URL, known: CachedAnswer): Answer {
  const { cache } = context
  const { body, contentType, headers, status, redirected, validators } = known
  noteRequest(context, known, null)
  return {
    url: new URL(known.url),
    status,
    type: mediaType(contentType),
    contentType,
    headers,
    redirected,
    validators,
    async read(maxBytes) {
      if (body) checkSize(body, maxBytes)
      const bytes = body && (await cache.readBody(body))
      if (!bytes) return (await requestAgain(context, start, known)).read(maxBytes)
      count(context, known, body)
      return bytes
    },
    async save(file, maxBytes) {
      if (body) checkSize(body, maxBytes)
      if (!body || !(await cache.copyBody(body, file)))
        return (await requestAgain(context, start, known)).save(file, maxBytes)
      count(context, known, body)
      return { ...body }
    },
    async hash(maxBytes) {
      if (!body) return (await requestAgain(context, start, known)).hash(maxBytes)
      checkSize(body, maxBytes)
      count(context, known, body)
      return { ...body }
    },
    async drop() {},
  }
}

function noteRequest({ requests }: CachedRun, known: CachedAnswer, bodySha256: string | null): void {
  const { asked, accept } = known
  requests.note({ asked, accept, digest: digestAnswer(known, bodySha256) }, bodySha256 !== null)
}

/** Counts cached bytes like fetched bytes, so an export reaches its limits at the same point with and without a cache. */
function count(context: CachedRun, known: CachedAnswer, { sha256, sizeBytes }: KeptBody): void {
  const { fetcher, limits } = context
  noteRequest(context, known, sha256)
  context.cachedBytes += sizeBytes
  if (fetcher.totalBytes + context.cachedBytes > limits.totalBytes) throw totalExceeded(limits)
}

/**
 * Requests an answer again, because its cached body is missing or damaged.
 *
 * @throws {FetchError} when the answer has changed, because the caller has already seen the cached answer.
 */
async function requestAgain(context: CachedRun, start: URL, known: CachedAnswer): Promise<Answer> {
  const { asked, accept, status, url, contentType } = known
  const answer = await context.fetcher.open(start, accept)
  const isSame = answer.status === status && answer.url.href === url && answer.contentType === contentType
  if (isSame) return storeOnRead(context, asked, accept, answer)
  await answer.drop()
  throw new FetchError('network', `the answer of ${answer.url.host} changed while it was read`)
}

function checkSize({ sizeBytes }: KeptBody, maxBytes: number): void {
  if (sizeBytes > maxBytes) throw new FetchError('too_large', 'the file is larger than the limit for one file')
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0]?.trim().toLowerCase() ?? ''
}
