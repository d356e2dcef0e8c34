import { digest } from '../../base/digest.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer, Fetcher } from '../../web/fetch/fetcher.ts'
import { type ExportLimits, totalExceeded } from '../model/limits.ts'
import type { AskedAnswer, KeptBody, RememberedAnswer, SiteCache } from '../model/site-cache.ts'
import { digestAnswer, digestFailure } from './answer-digest.ts'

export interface CachingFetcher extends Fetcher {
  /** What was asked for so far, and what came of it. */
  asked(): AskedAnswer[]
  /** Asks again and says whether the answer is the one of that digest. Keeps no new body. */
  isUnchanged(before: AskedAnswer): Promise<boolean>
}

export interface RememberingOptions {
  fetcher: Fetcher
  memory: SiteCache
  /** Names this export; one that was cut off has the same name when it goes on. */
  run: string
  limits: ExportLimits
}

/**
 * A fetcher that asks only for what it does not know. What this run has seen comes from the memory: an export that goes on
 * after a kill sees the same site as before. What earlier runs saw is asked for on condition that it changed. Every request
 * that is made goes through the checks of the fetcher inside, redirects and all.
 */
export function createCachingFetcher({ fetcher, memory, run, limits }: RememberingOptions): CachingFetcher {
  const digests = new Map<string, { asked: AskedAnswer; isRead: boolean }>()
  let bytesFromMemory = 0

  const totalBytes = () => fetcher.totalBytes + bytesFromMemory

  function note(asked: string, accept: string, digest: string, isRead: boolean): void {
    const name = `${accept} ${asked}`
    // Of two that ask, the one that read the body knows more.
    if (isRead || !digests.get(name)?.isRead) digests.set(name, { asked: { asked, accept, digest }, isRead })
  }

  /** What is known to hold now: from this run, or confirmed by the server. Else the answer of the network. */
  async function ask(start: URL, accept: string): Promise<{ known: RememberedAnswer } | { answer: Answer }> {
    const known = memory.findAnswer(withoutFragment(start), accept)
    if (known?.run === run) return { known }
    const answer = await fetcher.open(start, accept, known?.validators)
    if (!known || answer.status !== 304) return { answer }
    await answer.drop()
    // Not modified, but somewhere else: another file that happens to have the same tag.
    if (answer.url.href !== known.url) return { answer: await fetcher.open(start, accept) }
    const confirmed = { ...known, run }
    memory.putAnswer(confirmed)
    return { known: confirmed }
  }

  async function open(start: URL, accept = '*/*'): Promise<Answer> {
    try {
      const found = await ask(start, accept)
      return 'known' in found
        ? fromMemory(start, found.known)
        : fromNetwork(withoutFragment(start), accept, found.answer)
    } catch (error) {
      if (error instanceof FetchError) note(withoutFragment(start), accept, digestFailure(error), true)
      throw error
    }
  }

  function fromMemory(start: URL, known: RememberedAnswer): Answer {
    const { asked, accept, body, contentType, headers, status, redirected, validators } = known
    note(asked, accept, digestAnswer(known, null), false)

    /** What comes from the memory counts like what comes from the network: the limits cut at the same place. */
    function count({ sha256, sizeBytes }: KeptBody): void {
      note(asked, accept, digestAnswer(known, sha256), true)
      bytesFromMemory += sizeBytes
      if (totalBytes() > limits.totalBytes) throw totalExceeded(limits)
    }

    /** The body was never read, or is damaged. */
    async function askAgain(): Promise<Answer> {
      const answer = await fetcher.open(start, accept)
      const isSame = answer.status === status && answer.url.href === known.url && answer.contentType === contentType
      if (isSame) return fromNetwork(asked, accept, answer)
      await answer.drop()
      throw new FetchError('network', `the answer of ${answer.url.host} changed while it was read`)
    }

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
        const bytes = body && (await memory.readBody(body))
        if (!bytes) return (await askAgain()).read(maxBytes)
        count(body)
        return bytes
      },
      async save(file, maxBytes) {
        if (body) checkSize(body, maxBytes)
        if (!body || !(await memory.copyBody(body, file))) return (await askAgain()).save(file, maxBytes)
        count(body)
        return { ...body }
      },
      async hash(maxBytes) {
        if (!body) return (await askAgain()).hash(maxBytes)
        checkSize(body, maxBytes)
        count(body)
        return { ...body }
      },
      async drop() {},
    }
  }

  function fromNetwork(asked: string, accept: string, answer: Answer): Answer {
    const { contentType, headers, status, redirected, validators } = answer
    const seen = { asked, accept, status, url: answer.url.href, redirected, contentType, headers, validators, run }

    function remember(body: KeptBody | null): void {
      note(asked, accept, digestAnswer(seen, body?.sha256 ?? null), body !== null)
      if (isLasting(status)) memory.putAnswer({ ...seen, body })
    }
    async function reading<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await work()
      } catch (error) {
        if (error instanceof FetchError) note(asked, accept, digestFailure(error), true)
        throw error
      }
    }

    return {
      ...answer,
      read: maxBytes =>
        reading(async () => {
          const bytes = await answer.read(maxBytes)
          const body = { sha256: digest(bytes), sizeBytes: bytes.length }
          if (!isLasting(status) || (await memory.keepBody(bytes, body))) remember(body)
          else note(asked, accept, digestAnswer(seen, body.sha256), true)
          return bytes
        }),
      save: (file, maxBytes) =>
        reading(async () => {
          const body = await answer.save(file, maxBytes)
          if (!isLasting(status) || (await memory.keepFile(file, body))) remember(body)
          else note(asked, accept, digestAnswer(seen, body.sha256), true)
          return body
        }),
      async hash(maxBytes) {
        const body = await answer.hash(maxBytes)
        const before = memory.findAnswer(asked, accept)
        // The same bytes as before are there already.
        if (isLasting(status) && before?.body?.sha256 === body.sha256) remember(body)
        return body
      },
      async drop() {
        const before = memory.findAnswer(asked, accept)
        // Whoever reads it in this run wants the body of now.
        if (before?.run !== run) remember(null)
        await answer.drop()
      },
    }
  }

  async function isUnchanged({ asked, accept, digest }: AskedAnswer): Promise<boolean> {
    const start = new URL(asked)
    try {
      const found = await ask(start, accept)
      if ('known' in found) {
        const { known } = found
        return digest === digestAnswer(known, known.body?.sha256 ?? null) || digest === digestAnswer(known, null)
      }
      const { answer } = found
      const seen = { status: answer.status, url: answer.url.href, headers: answer.headers }
      const network = fromNetwork(asked, accept, answer)
      if (digest === digestAnswer(seen, null)) {
        await network.drop()
        return true
      }
      return digest === digestAnswer(seen, (await network.hash(limits.fileBytes)).sha256)
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      return digest === digestFailure(error)
    }
  }

  return {
    open,
    isUnchanged,
    asked: () => [...digests.values()].map(({ asked }) => asked),
    get totalBytes() {
      return totalBytes()
    },
    close: () => fetcher.close(),
  }
}

function checkSize({ sizeBytes }: KeptBody, maxBytes: number): void {
  if (sizeBytes > maxBytes) throw new FetchError('too_large', 'the file is larger than the limit for one file')
}

/** A server that is busy, or asks for patience, says nothing about the page. */
function isLasting(status: number): boolean {
  return status >= 200 && status < 500 && ![304, 408, 425, 429].includes(status)
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0]?.trim().toLowerCase() ?? ''
}

function withoutFragment(url: URL): string {
  const { href, hash } = url
  return hash === '' && !href.endsWith('#') ? href : href.slice(0, href.indexOf('#'))
}
