import { type Dispatcher, request } from 'undici'
import { startDeadline } from '../../base/timer.ts'
import { type Answer, openAnswer, type Validators } from './answer.ts'
import { FetchError, kindOfError, readRetryAfter, toBodyError, toFetchError } from './fetch-error.ts'
import type { Pace, TurnOutcome } from './host-turns.ts'
import type { LoginSession } from './login-session.ts'
import type { SiteHeaders } from './site-headers.ts'

/** The User-Agent of every request, also matched against robots.txt. */
export const userAgent = 'QuireExport/0.1 (+static export)'

/** Limits for requests. */
export interface FetchLimits {
  /** Decompressed bytes of all answers together. */
  totalBytes: number
  /** Redirects followed for one request. */
  redirects: number
  /** Time for one request, including its redirects and body, without its retries. */
  pageTimeoutMs: number
  /** Retries of one request. */
  retries: number
  /** Max concurrent requests to one host. */
  connections: number
}

/** What holds for every request of an export. */
export interface RequestOptions {
  limits: FetchLimits
  signal: AbortSignal
  /** Returns the address to fetch. A site may use its domain in links and be fetched from its origin. */
  locate?(url: URL): URL
  /** Redirects to these addresses fail with FetchError 'excluded'. */
  isExcluded?(url: URL): boolean
  /** Headers of every request to this origin. Requests to other hosts, also after a redirect, do not have these headers. */
  siteHeaders?: { origin: string; headers: SiteHeaders }
  /** The recorded login of the site; null = none. */
  login?: LoginSession | null
  /** When requests to a host may begin. Undefined = at once. */
  pace?: Pick<Pace, 'turn' | 'pause'>
}

export interface RequestTools extends RequestOptions {
  agent: Dispatcher
  /** Refuses requests to hosts that no longer answer. */
  health: { check(host: string): void }
  /** Called with the length of each decompressed chunk. Throws if all answers together are too large. */
  countBytes(bytes: number): void
}

export interface FetchRequest {
  url: URL
  accept: string
  /** The server answers 304 without a body if the file still has these validators. */
  unless: Validators | undefined
}

/** The server gets too many requests. */
const overloadStatuses = new Set([429, 503])

/** The first answer to a request, whose body must still be read or dropped. */
export interface FirstAnswer {
  answer: Answer
  /** The wait that the server asks for; null = none. */
  retryAfterMs: number | null
}

/**
 * Sends a GET request once, and follows its redirects.
 *
 * @param onBegin called when the request may begin.
 */
export async function requestOnce(
  tools: RequestTools,
  { url: start, accept, unless }: FetchRequest,
  onBegin: () => void,
): Promise<FirstAnswer> {
  const { limits, signal, pace, health } = tools
  const wanted = { accept, ...(unless && conditions(unless)) }
  const explain = (error: unknown, url: URL) => toFetchError(error, url, signal, limits)
  const endTurn = (await pace?.turn(start.host, signal)) ?? (() => {})
  onBegin()
  // The wait for a turn is ours and not the server's, so the deadline starts after it. It covers the wait for a connection,
  // all redirects and the body, so a very slow body ends too.
  const timeLimit = startDeadline(limits.pageTimeoutMs, () => {
    // One address that never answers says nothing about the others. That answers take long is measured.
    endTurn()
    return new DOMException('slow', 'TimeoutError')
  })
  let outcome: TurnOutcome = 'answered'
  const end = () => {
    timeLimit.clear()
    endTurn(outcome)
  }
  const deadline = AbortSignal.any([signal, timeLimit.signal])
  let retryAfterMs: number | null = null
  try {
    const answer = await followRedirects(start, {
      ...tools,
      maxRedirects: limits.redirects,
      request(url) {
        health.check(url.host)
        return send(tools, url, wanted, deadline)
      },
      arrive(url, isRedirected, response) {
        retryAfterMs = readRetryAfter(String(response.headers['retry-after'] ?? ''), Date.now())
        if (overloadStatuses.has(response.statusCode)) outcome = 'overloaded'
        return openAnswer({
          url,
          isRedirected,
          status: response.statusCode,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [name, firstValue(value) ?? '']),
          ),
          body: response.body,
          countBytes: tools.countBytes,
          explain: error => toBodyError(explain(error, url), url),
          onEnd: end,
        })
      },
    })
    return { answer, retryAfterMs }
  } catch (error) {
    outcome = kindOfError(error) === 'connection' && !timeLimit.signal.aborted ? 'overloaded' : 'unknown'
    end()
    throw error
  }
}

/** Returns the request headers that make a server answer 304 if nothing has changed. Returns none without validators. */
export function conditions({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}

/** Returns the value of a header. If a header is repeated, returns its first value. */
export function firstValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

interface RedirectSteps<T> extends Pick<RequestOptions, 'locate' | 'isExcluded'> {
  maxRedirects: number
  request(url: URL): Promise<Dispatcher.ResponseData>
  /** Called with the first response that is not a redirect. */
  arrive(url: URL, isRedirected: boolean, response: Dispatcher.ResponseData): Promise<T>
}

/**
 * Requests an address and follows its redirects.
 *
 * @throws {FetchError} with `redirectedTo` if the request failed at another address than `start`.
 */
export async function followRedirects<T>(start: URL, steps: RedirectSteps<T>): Promise<T> {
  const { maxRedirects, locate, isExcluded } = steps
  let url = withoutFragment(start)
  try {
    for (let count = 0; ; count += 1) {
      checkScheme(url)
      const response = await steps.request(url)
      const location = firstValue(response.headers.location)
      if (!redirectStatuses.has(response.statusCode) || !location) return await steps.arrive(url, count > 0, response)
      await response.body.dump({ limit: 64 * 1024 }).catch(() => {})
      if (count >= maxRedirects) throw new FetchError('redirects', `more than ${maxRedirects} redirects`)
      const next = URL.parse(decodeHeader(location), url)
      if (!next) throw new FetchError('url', 'a redirect leads to an invalid address')
      url = withoutFragment(locate?.(next) ?? next)
      if (isExcluded?.(url)) throw new FetchError('excluded', 'it redirects to an excluded page')
    }
  } catch (error) {
    if (error instanceof FetchError && url.href !== withoutFragment(start).href) error.redirectedTo = url
    throw error
  }
}

function checkScheme(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchError('url', `the scheme ${url.protocol} is not supported, only http: and https:`)
  if (url.username || url.password) throw new FetchError('url', 'the address contains a user name or a password')
}

function withoutFragment(url: URL): URL {
  const copy = new URL(url)
  copy.hash = ''
  return copy
}

/**
 * Decodes a header. Node reads header bytes as latin1. In practice, an address that is not ASCII is UTF-8, as in browsers.
 */
function decodeHeader(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

async function send(tools: RequestTools, url: URL, wanted: Record<string, string>, deadline: AbortSignal) {
  const { agent, limits, signal, siteHeaders, login } = tools
  const ownHeaders = siteHeaders?.origin === url.origin ? siteHeaders.headers : {}
  const given = { ...login?.headersFor(url), ...ownHeaders }
  const headers = { 'user-agent': userAgent, 'accept-encoding': 'gzip, br, zstd', ...given, ...wanted }
  try {
    const response = await request(url, {
      dispatcher: agent,
      headers,
      signal: deadline,
      headersTimeout: limits.pageTimeoutMs,
      bodyTimeout: limits.pageTimeoutMs,
    })
    login?.noteCookies(url, response.headers['set-cookie'])
    return response
  } catch (error) {
    throw toFetchError(error, url, signal, limits)
  }
}
