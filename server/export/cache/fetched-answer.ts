import { digest } from '../../base/digest.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer, Fetcher } from '../../web/fetch/fetcher.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { KeptBody, SiteCache } from '../model/site-cache.ts'
import { digestAnswer, digestFailure } from './answer-digest.ts'
import type { RequestLog } from './request-log.ts'

/** State that the answers of one export share. */
export interface CachedRun {
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
export function storeOnRead(context: CachedRun, asked: string, accept: string, answer: Answer): Answer {
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
export async function notingFailure<T>(
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

/** Decides whether an answer describes the page. Server errors and answers that mean "retry later" do not. */
function isLasting(status: number): boolean {
  return status >= 200 && status < 500 && ![304, 408, 425, 429].includes(status)
}
