import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { pipeline as pipe, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import zlib from 'node:zlib'
import { type Dispatcher, request } from 'undici'
import { describeBytes } from '../../base/format-bytes.ts'
import { FetchError, isTransient, toFetchError } from './fetch-error.ts'
import { openGuardedAgent } from './guarded-agent.ts'
import type { Pace } from './pace.ts'
import type { SiteHeaders } from './site-headers.ts'
import { isSniffed, looksLikeHtml, sniffedBytes } from './sniff-html.ts'
import { conditions, lastingHeaders, readValidators, type Validators } from './validators.ts'

/** A response whose body has still to be read or dropped. */
export interface Answer {
  /** After redirects, without fragment. */
  url: URL
  status: number
  /** In lower case, without parameters; '' without one. */
  type: string
  contentType: string
  /** Those that say something about the content; see `lastingHeaders`. */
  headers: Record<string, string>
  validators: Validators
  redirected: boolean
  /** The decompressed body, at most `maxBytes` of it: FetchError 'too_large' past that. */
  read(maxBytes: number): Promise<Buffer>
  /** Writes the decompressed body to a file. */
  save(file: string, maxBytes: number): Promise<{ sizeBytes: number; sha256: string }>
  /** Reads the body and keeps nothing of it. */
  hash(maxBytes: number): Promise<{ sizeBytes: number; sha256: string }>
  drop(): Promise<void>
}

export interface Fetcher {
  /** @param unless answers 304 without a body when the file is still the one with these validators. */
  open(url: URL, accept?: string, unless?: Validators): Promise<Answer>
  /** Decompressed bytes read so far. */
  readonly totalBytes: number
  close(): Promise<void>
}

/** What requests may use at most. */
export interface FetchLimits {
  /** Bytes of everything fetched, decompressed. */
  totalBytes: number
  /** Redirects followed for one request. */
  redirects: number
  /** Time for one request. */
  pageTimeoutMs: number
  /** Requests under way at once. */
  connections: number
}

export interface FetcherOptions {
  /** The origin that may be private or loopback; null = none. */
  exempt: URL | null
  alsoExempt?: readonly URL[]
  limits: FetchLimits
  /** The error that ends everything when more than `limits.totalBytes` were fetched. */
  totalExceeded(): Error
  signal: AbortSignal
  /** Where an address is fetched from: a site may name itself by its domain and be fetched from its origin. */
  locate?(url: URL): URL
  /** Whether redirects may not lead there; FetchError 'excluded' then. */
  isExcluded?(url: URL): boolean
  /** What every request to this origin carries: a redirect to another host goes without. */
  siteHeaders?: { origin: string; headers: SiteHeaders }
  /** What robots.txt asks for. */
  pace?: Pace
  /** For tests. */
  lookup?: LookupFunction
  retryDelaysMs?: readonly number[]
}

export const userAgent = 'QuireExport/0.1 (+static export)'

const transient = new Set([429, 502, 503, 504])
const defaultRetryDelaysMs = [300, 1500]
const maxRetryAfterMs = 10_000

/** Opens the one door of an export to the network: every address checked, redirects followed by hand, all bounded. */
export function openFetcher(options: FetcherOptions): Fetcher {
  const {
    exempt,
    alsoExempt = [],
    limits,
    totalExceeded,
    signal,
    locate,
    isExcluded,
    siteHeaders,
    pace,
    lookup,
    retryDelaysMs,
  } = options
  const agent = openGuardedAgent({
    exempt,
    alsoExempt,
    connections: limits.connections,
    connectTimeoutMs: Math.min(10_000, limits.pageTimeoutMs),
    ...(lookup ? { lookup } : {}),
  })
  const explain = (error: unknown, url: URL) => toFetchError(error, url, signal, limits)
  const delays = retryDelaysMs ?? defaultRetryDelaysMs
  let totalBytes = 0

  async function requestOnce(url: URL, wanted: Record<string, string>, deadline: AbortSignal) {
    const lent = siteHeaders?.origin === url.origin ? siteHeaders.headers : {}
    const headers = { 'user-agent': userAgent, 'accept-encoding': 'gzip, br, zstd', ...lent, ...wanted }
    try {
      return await request(url, {
        dispatcher: agent,
        headers,
        signal: deadline,
        headersTimeout: limits.pageTimeoutMs,
        bodyTimeout: limits.pageTimeoutMs,
      })
    } catch (error) {
      throw explain(error, url)
    }
  }

  /** One hop, repeated when the failure looks like a passing one. */
  async function requestPatiently(url: URL, wanted: Record<string, string>, deadline: AbortSignal) {
    for (let attempt = 0; ; attempt += 1) {
      const delay = delays[attempt]
      try {
        const response = await requestOnce(url, wanted, deadline)
        if (delay === undefined || !transient.has(response.statusCode)) return response
        await response.body.dump({ limit: 64 * 1024 }).catch(() => {})
        const retryAfterMs = Number(response.headers['retry-after']) * 1000
        await sleep(Math.min(retryAfterMs > 0 ? retryAfterMs : delay, maxRetryAfterMs), undefined, {
          signal: deadline,
        })
      } catch (error) {
        if (deadline.aborted) throw explain(deadline.reason, url)
        if (delay === undefined || !isTransient(error)) throw error
        await sleep(delay, undefined, { signal: deadline }).catch(() => {})
        if (deadline.aborted) throw explain(deadline.reason, url)
      }
    }
  }

  async function open(start: URL, accept = '*/*', unless?: Validators): Promise<Answer> {
    const wanted = { accept, ...(unless && conditions(unless)) }
    // Before the clock starts: to wait is no fault of the server.
    await pace?.turn(start.host, signal)
    const timeout = new AbortController()
    // One clock for all hops and the body: slow bytes end here too.
    const timer = setTimeout(() => timeout.abort(new DOMException('slow', 'TimeoutError')), limits.pageTimeoutMs)
    const deadline = AbortSignal.any([signal, timeout.signal])
    let url = withoutFragment(start)
    try {
      for (let hops = 0; ; hops += 1) {
        if (url.protocol !== 'http:' && url.protocol !== 'https:') {
          throw new FetchError('url', `${url.protocol} is not a scheme that can be fetched`)
        }
        if (url.username || url.password) throw new FetchError('url', 'the address carries a user name or a password')
        const response = await requestPatiently(url, wanted, deadline)
        const location = first(response.headers.location)
        if (![301, 302, 303, 307, 308].includes(response.statusCode) || !location) {
          return await toAnswer(url, hops > 0, response, timer)
        }
        await response.body.dump({ limit: 64 * 1024 }).catch(() => {})
        if (hops >= limits.redirects) throw new FetchError('redirects', `more than ${limits.redirects} redirects`)
        const next = URL.parse(decodeHeader(location), url)
        if (!next) throw new FetchError('url', 'a redirect leads to something that is no address')
        url = withoutFragment(locate?.(next) ?? next)
        if (isExcluded?.(url)) throw new FetchError('excluded', 'it leads to a page that is left out by choice')
      }
    } catch (error) {
      clearTimeout(timer)
      if (error instanceof FetchError && url.href !== withoutFragment(start).href) error.leadTo = url
      throw error
    }
  }

  async function toAnswer(
    url: URL,
    redirected: boolean,
    response: Dispatcher.ResponseData,
    timer: NodeJS.Timeout,
  ): Promise<Answer> {
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, first(value) ?? '']),
    )
    const { body } = response
    /** What was read to learn what it is, and where the rest comes from. */
    let begun: BegunBody | null = null

    function openBody(): AsyncIterable<Buffer> {
      // The deadline ends the body itself: the request has it. And what ends ends what decompresses it.
      const stages = decoders(headers['content-encoding'] ?? '')
      return stages.length > 0 ? (pipe([body, ...stages], () => {}) as unknown as AsyncIterable<Buffer>) : body
    }

    async function sniff(): Promise<boolean> {
      try {
        const rest = openBody()[Symbol.asyncIterator]()
        begun = { chunks: [], rest }
        for (let length = 0; length < sniffedBytes; ) {
          const { value, done } = await rest.next()
          if (done) break
          begun.chunks.push(value)
          length += value.length
        }
        return looksLikeHtml(Buffer.concat(begun.chunks))
      } catch (error) {
        body.on('error', () => {}).destroy()
        throw explain(error, url)
      }
    }

    const isPage = response.statusCode === 200 && isSniffed(headers) && (await sniff())
    const contentType = isPage ? 'text/html' : (headers['content-type'] ?? '')

    /** Decompresses and counts while the bytes pass, so that a bomb is stopped at the limit and never held. */
    async function* pass(maxBytes: number): AsyncGenerator<Buffer> {
      let left = maxBytes
      try {
        for await (const chunk of begun ? replay(begun) : openBody()) {
          totalBytes += chunk.length
          left -= chunk.length
          // Here and not after the file: what a browser or a list of pages reads counts too, and nothing overshoots.
          if (totalBytes > limits.totalBytes) throw totalExceeded()
          if (left < 0) throw new FetchError('too_large', `larger than the limit of ${describeBytes(maxBytes)}`)
          yield chunk
        }
      } catch (error) {
        body.on('error', () => {}).destroy()
        throw explain(error, url)
      } finally {
        clearTimeout(timer)
      }
    }

    async function* tapped(maxBytes: number, tap: Tap) {
      for await (const chunk of pass(maxBytes)) {
        tap.add(chunk)
        yield chunk
      }
    }

    return {
      url,
      status: response.statusCode,
      type: contentType.split(';')[0]?.trim().toLowerCase() ?? '',
      contentType,
      headers: lastingHeaders(headers),
      validators: readValidators(headers),
      redirected,
      async read(maxBytes) {
        const chunks: Buffer[] = []
        for await (const chunk of pass(maxBytes)) chunks.push(chunk)
        return Buffer.concat(chunks)
      },
      async save(file, maxBytes) {
        const tap = createTap()
        try {
          await pipeline(tapped(maxBytes, tap), createWriteStream(file))
        } catch (error) {
          throw explain(error, url)
        }
        return tap.result()
      },
      async hash(maxBytes) {
        const tap = createTap()
        for await (const chunk of pass(maxBytes)) tap.add(chunk)
        return tap.result()
      },
      async drop() {
        // The clock goes on: a body that drips never comes to its end.
        if (begun) body.on('error', () => {}).destroy()
        else await body.dump({ limit: 64 * 1024 }).catch(() => {})
        clearTimeout(timer)
      },
    }
  }

  return {
    open,
    get totalBytes() {
      return totalBytes
    },
    close: () => agent.destroy(),
  }
}

interface BegunBody {
  chunks: Buffer[]
  rest: AsyncIterator<Buffer>
}

/** A body from its beginning. */
async function* replay({ chunks, rest }: BegunBody): AsyncGenerator<Buffer> {
  yield* chunks
  yield* { [Symbol.asyncIterator]: () => rest }
}

type Tap = ReturnType<typeof createTap>

/** Counts and hashes what passes. */
function createTap() {
  const hash = createHash('sha256')
  let sizeBytes = 0
  return {
    add(chunk: Buffer) {
      hash.update(chunk)
      sizeBytes += chunk.length
    },
    result: () => ({ sizeBytes, sha256: hash.digest('hex') }),
  }
}

/** The streams that undo a Content-Encoding; two layers at most, since nothing honest uses more. */
function decoders(encoding: string): Transform[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity')
  if (names.length > 2) throw new FetchError('encoding', 'the answer is compressed more than twice')
  return names.reverse().map(name => {
    if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip()
    if (name === 'deflate') return zlib.createInflate()
    if (name === 'br') return zlib.createBrotliDecompress()
    if (name === 'zstd') return zlib.createZstdDecompress()
    throw new FetchError('encoding', `the answer is compressed with ${name}, which nobody asked for`)
  })
}

function withoutFragment(url: URL): URL {
  const copy = new URL(url)
  copy.hash = ''
  return copy
}

/** Header bytes arrive as latin1; an address that is not ASCII is UTF-8 in practice, as browsers read it. */
function decodeHeader(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
