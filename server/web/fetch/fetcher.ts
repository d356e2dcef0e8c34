import type { LookupFunction } from 'node:net'
import { request } from 'undici'
import { startDeadline } from '../../base/timer.ts'
import { type Answer, openAnswer } from './answer.ts'
import { toFetchError } from './fetch-error.ts'
import { followRedirects } from './follow-redirects.ts'
import { openGuardedAgent } from './guarded-agent.ts'
import type { Pace } from './host-turns.ts'
import { requestWithRetries } from './retry.ts'
import type { SiteHeaders } from './site-headers.ts'
import { conditions, type Validators } from './validators.ts'

export type { Answer } from './answer.ts'

export interface Fetcher {
  /** @param unless the server answers 304 without a body if the file still has these validators. */
  open(url: URL, accept?: string, unless?: Validators): Promise<Answer>
  /** Decompressed bytes read so far. */
  readonly totalBytes: number
  close(): Promise<void>
}

/** Limits for requests. */
export interface FetchLimits {
  /** Decompressed bytes of all answers together. */
  totalBytes: number
  /** Redirects followed for one request. */
  redirects: number
  /** Time for one request, including its redirects and body. */
  pageTimeoutMs: number
  /** Concurrent requests. */
  connections: number
}

export interface FetcherOptions {
  /** The origin that may be private or loopback; null = none. */
  exempt: URL | null
  alsoExempt?: readonly URL[]
  limits: FetchLimits
  /** Creates the error that ends the export after more than `limits.totalBytes` were fetched. */
  totalExceeded(): Error
  signal: AbortSignal
  /** Returns the address to fetch. A site may use its domain in links and be fetched from its origin. */
  locate?(url: URL): URL
  /** Redirects to these addresses fail with FetchError 'excluded'. */
  isExcluded?(url: URL): boolean
  /** Headers of every request to this origin. Requests to other hosts, also after a redirect, do not have these headers. */
  siteHeaders?: { origin: string; headers: SiteHeaders }
  /** When requests to a host may begin. Undefined = at once. */
  pace?: Pick<Pace, 'turn' | 'isDelayed'>
  /** For tests. */
  lookup?: LookupFunction
  retryDelaysMs?: readonly number[]
}

/** The User-Agent of every request, also matched against robots.txt. */
export const userAgent = 'QuireExport/0.1 (+static export)'

const defaultRetryDelaysMs = [300, 1500]

/**
 * Opens an export's only access to the network. The fetcher checks every address, follows redirects and enforces the
 * limits.
 */
export function openFetcher(options: FetcherOptions): Fetcher {
  const { exempt, alsoExempt = [], limits, signal, siteHeaders, pace, lookup } = options
  const delaysMs = options.retryDelaysMs ?? defaultRetryDelaysMs
  const agent = openGuardedAgent({
    exempt,
    alsoExempt,
    connections: limits.connections,
    connectTimeoutMs: Math.min(10_000, limits.pageTimeoutMs),
    ...(lookup ? { lookup } : {}),
  })
  const explain = (error: unknown, url: URL) => toFetchError(error, url, signal, limits)
  let totalBytes = 0

  function countBytes(bytes: number): void {
    totalBytes += bytes
    if (totalBytes > limits.totalBytes) throw options.totalExceeded()
  }

  async function send(url: URL, wanted: Record<string, string>, deadline: AbortSignal) {
    const ownHeaders = siteHeaders?.origin === url.origin ? siteHeaders.headers : {}
    const headers = { 'user-agent': userAgent, 'accept-encoding': 'gzip, br, zstd', ...ownHeaders, ...wanted }
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

  async function open(start: URL, accept = '*/*', unless?: Validators): Promise<Answer> {
    const wanted = { accept, ...(unless && conditions(unless)) }
    let endTurn = () => {}
    // A crawl delay is ours, not the server's, so the deadline starts after it.
    if (pace?.isDelayed(start.host)) endTurn = await pace.turn(start.host, signal)
    // One deadline covers the wait for a connection, all redirects and the body, so a very slow body ends too.
    const timeLimit = startDeadline(limits.pageTimeoutMs, () => {
      endTurn()
      return new DOMException('slow', 'TimeoutError')
    })
    const end = () => {
      timeLimit.clear()
      endTurn()
    }
    const deadline = AbortSignal.any([signal, timeLimit.signal])
    try {
      if (pace && !pace.isDelayed(start.host)) endTurn = await takeTurn(pace, start, deadline, explain)
      return await followRedirects(start, {
        maxRedirects: limits.redirects,
        locate: options.locate,
        isExcluded: options.isExcluded,
        request: url =>
          requestWithRetries(() => send(url, wanted, deadline), {
            delaysMs,
            deadline,
            explain: error => explain(error, url),
          }),
        arrive: (url, isRedirected, response) =>
          openAnswer({
            url,
            isRedirected,
            response,
            countBytes,
            explain: error => explain(error, url),
            onEnd: end,
          }),
      })
    } catch (error) {
      end()
      throw error
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

/** Waits for the turn of a request until its deadline. */
async function takeTurn(
  pace: Pick<Pace, 'turn'>,
  url: URL,
  deadline: AbortSignal,
  explain: (error: unknown, url: URL) => unknown,
): Promise<() => void> {
  try {
    return await pace.turn(url.host, deadline)
  } catch (error) {
    throw explain(error, url)
  }
}
