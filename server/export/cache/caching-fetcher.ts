import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer, Fetcher } from '../../web/fetch/fetcher.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { AskedAnswer, CachedAnswer, SiteCache } from '../model/site-cache.ts'
import { digestAnswer, digestFailure } from './answer-digest.ts'
import { openCached } from './cached-answer.ts'
import { type CachedRun, notingFailure, storeOnRead } from './fetched-answer.ts'
import { createRequestLog } from './request-log.ts'

export interface CachingFetcher extends Fetcher {
  /** Returns every request so far, with a digest of its answer. */
  asked(): AskedAnswer[]
  /** Repeats a request and returns whether the answer has the same digest. Does not store new bodies. */
  isUnchanged(before: AskedAnswer): Promise<boolean>
}

export interface CachingOptions {
  fetcher: Fetcher
  cache: SiteCache
  /** Identifies this export. An export that resumes after a kill keeps this id. */
  run: string
  limits: ExportLimits
}

/**
 * Creates a fetcher that reads answers from the cache where possible. Answers of the same run are used without a request, so
 * an export that resumes after a kill sees the same site as before. Answers of earlier runs are confirmed by conditional
 * requests. All requests, including redirects, go through `fetcher` and its checks.
 */
export function createCachingFetcher({ fetcher, cache, run, limits }: CachingOptions): CachingFetcher {
  const context: CachedRun = { fetcher, cache, run, limits, requests: createRequestLog(), cachedBytes: 0 }
  return {
    open: (url, accept = '*/*') => open(context, url, accept),
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
