import { digest } from '../../base/digest.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer, Fetcher } from '../../web/fetch/fetcher.ts'
import { type ExportLimits, totalExceeded } from '../model/limits.ts'
import type { AskedAnswer, CachedAnswer, KeptBody, SiteCache } from '../model/site-cache.ts'
import { digestAnswer, digestFailure } from './answer-digest.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'

export interface CachingFetcher extends Fetcher {
  /** Returns every request so far, with a digest of its answer. */
  asked(): AskedAnswer[]
  /** Repeats a request and returns whether the answer has the same digest. Does not store new bodies. */
  isUnchanged(before: AskedAnswer): Promise<boolean>
}

interface CachingOptions {
  fetcher: Fetcher
  cache: SiteCache
  /** Identifies this export. An export that resumes after a kill keeps this id. */
  run: string
  limits: ExportLimits
  /** Decides whether an address must not be stored, because it contains a secret. Absent = none does. */
  isSecret?(url: URL): boolean
}

/**
 * Creates a fetcher that reads answers from the cache where possible. Answers of the same run are used without a request, so
 * an export that resumes after a kill sees the same site as before. Answers of earlier runs are confirmed by conditional
 * requests. All requests, including redirects, go through `fetcher` and its checks.
 */
export function createCachingFetcher(options: CachingOptions): CachingFetcher {
  const { fetcher, cache, run, limits, isSecret = () => false } = options
  const context: CachedRun = { fetcher, cache, run, limits, requests: createRequestLog(), cachedBytes: 0 }
  return {
    open: (url, accept = '*/*') => (isSecret(url) ? fetcher.open(url, accept) : open(context, url, accept)),
    isUnchanged: before => isUnchanged(context, before),
    asked: context.requests.list,
    get totalBytes() {
      return fetcher.totalBytes + context.cachedBytes
    },
    close: () => fetcher.close(),
  }
}

async function open(context: CachedRun, start: URL, accept: string): Promise<Answer> {
  const asked = withoutFragment(start)
  return notingFailure(context.requests, asked, accept, async () => {
    const found = await findOrFetch(context, start, accept)
    return 'known' in found
      ? openCached(context, start, found.known)
      : storeOnRead(context, asked, accept, found.answer)
  })
}

/**
 * Finds a cached answer or fetches a new one. `known` is a cached answer that this run has seen or the server has confirmed;
 * `answer` is a new answer from the network.
 */
async function findOrFetch(
  { fetcher, cache, run }: CachedRun,
  start: URL,
  accept: string,
): Promise<{ known: CachedAnswer } | { answer: Answer }> {
  const known = cache.findAnswer(withoutFragment(start), accept)
  if (known?.run === run) return { known }
  const answer = await fetcher.open(start, accept, known?.validators)
  if (!known || answer.status !== 304) return { answer }
  await answer.drop()
  // The address now redirects to another file that happens to have the same ETag.
  if (answer.url.href !== known.url) return { answer: await fetcher.open(start, accept) }
  const confirmed = { ...known, run }
  cache.putAnswer(confirmed)
  return { known: confirmed }
}

async function isUnchanged(context: CachedRun, { asked, accept, digest }: AskedAnswer): Promise<boolean> {
  try {
    const found = await findOrFetch(context, new URL(asked), accept)
    if ('known' in found) {
      const { known } = found
      return digest === digestAnswer(known, known.body?.sha256 ?? null) || digest === digestAnswer(known, null)
    }
    const { url, status, headers } = found.answer
    const seen = { status, url: url.href, headers }
    const answer = storeOnRead(context, asked, accept, found.answer)
    if (digest === digestAnswer(seen, null)) {
      await answer.drop()
      return true
    }
    return digest === digestAnswer(seen, (await answer.hash(context.limits.fileBytes)).sha256)
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return digest === digestFailure(error)
  }
}

function withoutFragment(url: URL): string {
  const { href, hash } = url
  return hash === '' && !href.endsWith('#') ? href : href.slice(0, href.indexOf('#'))
}

/** Returns an answer from the cache. Requests the body again if the stored body is missing or damaged. */
function openCached(context: CachedRun, start: URL, known: CachedAnswer): Answer {
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
      countCached(context, known, body)
      return bytes
    },
    async save(file, maxBytes) {
      if (body) checkSize(body, maxBytes)
      if (!body || !(await cache.copyBody(body, file)))
        return (await requestAgain(context, start, known)).save(file, maxBytes)
      countCached(context, known, body)
      return { ...body }
    },
    async hash(maxBytes) {
      if (!body) return (await requestAgain(context, start, known)).hash(maxBytes)
      checkSize(body, maxBytes)
      countCached(context, known, body)
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
function countCached(context: CachedRun, known: CachedAnswer, { sha256, sizeBytes }: KeptBody): void {
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

/** State that the answers of one export share. */
interface CachedRun {
  fetcher: Fetcher
  cache: SiteCache
  /** Identifies this export. An export that resumes after a kill keeps this id. */
  run: string
  limits: ExportLimits
  requests: RequestLog
  /** Bytes of all bodies that came from the cache. */
  cachedBytes: number
}

/**
 * Wraps an answer from the network. Its body is stored in the cache when it is read.
 *
 * @param asked the requested URL, without fragment.
 */
function storeOnRead(context: CachedRun, asked: string, accept: string, answer: Answer): Answer {
  const { cache, run } = context
  const { contentType, headers, status, redirected, validators } = answer
  const seen = { asked, accept, status, url: answer.url.href, redirected, contentType, headers, validators, run }

  function note(bodySha256: string | null): void {
    const isRead = bodySha256 !== null
    context.requests.note({ asked, accept, digest: digestAnswer(seen, bodySha256) }, isRead)
  }
  function store(body: KeptBody | null): void {
    note(body?.sha256 ?? null)
    if (isLasting(status)) cache.putAnswer({ ...seen, body })
  }
  /** @param keep stores the body; resolves to false when the cache has no room. */
  async function storeBody(body: KeptBody, keep: () => Promise<boolean>): Promise<void> {
    if (!isLasting(status) || (await keep())) store(body)
    else note(body.sha256)
  }

  return {
    ...answer,
    read: maxBytes =>
      notingFailure(context.requests, asked, accept, async () => {
        const bytes = await answer.read(maxBytes)
        const body = { sha256: digest(bytes), sizeBytes: bytes.length }
        await storeBody(body, () => cache.keepBody(bytes, body))
        return bytes
      }),
    save: (file, maxBytes) =>
      notingFailure(context.requests, asked, accept, async () => {
        const body = await answer.save(file, maxBytes)
        await storeBody(body, () => cache.keepFile(file, body))
        return body
      }),
    async hash(maxBytes) {
      const body = await answer.hash(maxBytes)
      const before = cache.findAnswer(asked, accept)
      // The body is not available here, but the cache may already have it.
      if (isLasting(status) && before?.body?.sha256 === body.sha256) store(body)
      return body
    },
    async drop() {
      const before = cache.findAnswer(asked, accept)
      // If this run already stored the answer, the stored answer may have its body.
      if (before?.run !== run) store(null)
      await answer.drop()
    },
  }
}

/** Does work for a request, and logs the request as failed when the work throws a FetchError. */
async function notingFailure<T>(
  requests: RequestLog,
  asked: string,
  accept: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FetchError) requests.note({ asked, accept, digest: digestFailure(error) }, true)
    throw error
  }
}

/**
 * Decides whether an answer describes the page. Server errors, refusals, which a login changes, and answers that mean "retry
 * later" do not.
 */
function isLasting(status: number): boolean {
  return status >= 200 && status < 500 && ![304, 401, 403, 408, 425, 429].includes(status)
}
