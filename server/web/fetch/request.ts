import dns from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { Agent, buildConnector, type Dispatcher, request } from 'undici'
import { type AddressRange, isInRanges } from '../../base/address-range.ts'
import { startDeadline } from '../../base/timer.ts'
import { ForbiddenAddressError, whyForbidden } from './address.ts'
import { type Answer, openAnswer, type Validators } from './answer.ts'
import { FetchError, kindOfError, readRetryAfter, toBodyError, toFetchError } from './fetch-error.ts'
import type { Pace, TurnOutcome } from './host-turns.ts'
import type { SiteHeaders } from './site-headers.ts'

/** The User-Agent of every request, also matched against robots.txt. */
export const userAgent = 'QuireExport/0.1 (+static export)'

/** The most bytes that the headers of an answer may have together; more is an error. Set, because NODE_OPTIONS changes the default. */
export const maxHeaderBytes = 16 * 1024

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
  const { agent, limits, signal, siteHeaders } = tools
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
    throw toFetchError(error, url, signal, limits)
  }
}

/**
 * Bytes that an HTTP/2 server may send ahead, on one stream and on one connection. All requests to a host share a connection,
 * so undici's 512 KB would limit a host that is 200 ms away to 2.5 MB per second. undici 8.12 does not read the first of them
 * from `h2Options`.
 */
const windows = { initialWindowSize: 1024 ** 2, connectionWindowSize: 8 * 1024 ** 2 }

/**
 * Opens a pool of keep-alive connections that checks every address while connecting. The check uses the DNS look-up of the
 * socket itself, so a name that changes between two look-ups cannot bypass it. Address literals are checked before
 * connecting, and the peer is checked again after connecting. A server that offers HTTP/2 (by ALPN) is asked by HTTP/2. The
 * caller closes the pool.
 *
 * @param exempt origins that may be private or loopback. Scheme, host and port must match.
 * @param lookup for tests: how names are resolved.
 * @param ranges private addresses that are allowed, by whatever name.
 */
export function openGuardedAgent(
  exempt: readonly URL[],
  { connections, pageTimeoutMs }: Pick<FetchLimits, 'connections' | 'pageTimeoutMs'>,
  lookup?: LookupFunction,
  ranges: readonly AddressRange[] = [],
): Agent {
  const whyRefused = (address: string) => (isInRanges(address, ranges) ? null : whyForbidden(address))
  const how = { timeout: Math.min(10_000, pageTimeoutMs), allowH2: true, preferH2: true }
  const direct = buildConnector({ ...how, ...(lookup ? { lookup } : {}) })
  const guarded = buildConnector({ ...how, lookup: checkedLookup(lookup ?? dns.lookup, whyRefused) })
  return new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    maxHeaderSize: maxHeaderBytes,
    allowH2: true,
    ...windows,
    connect(target, callback) {
      const host = target.hostname.replace(/^\[|\]$/g, '')
      const port = target.port || (target.protocol === 'https:' ? '443' : '80')
      if (exempt.some(origin => isOrigin(origin, target.protocol, target.hostname, port)))
        return direct(target, callback)
      const why = isIP(host) === 0 ? whyForbiddenName(host) : whyRefused(host)
      if (why) return callback(new ForbiddenAddressError(host, why), null)
      guarded(target, (error, socket) => {
        if (error) return callback(error, null)
        const peerWhy = whyRefused((socket as Socket).remoteAddress ?? '')
        if (!peerWhy) return callback(null, socket)
        socket.destroy()
        callback(new ForbiddenAddressError(host, peerWhy), null)
      })
    },
  })
}

function isOrigin(origin: URL, protocol: string, hostname: string, port: string): boolean {
  const bare = (host: string) => host.replace(/^\[|\]$/g, '').toLowerCase()
  const originPort = origin.port || (origin.protocol === 'https:' ? '443' : '80')
  return origin.protocol === protocol && bare(origin.hostname) === bare(hostname) && originPort === port
}

/**
 * Explains why a name is refused. Names below localhost refer to this machine (RFC 6761, 6.3), independent of the resolver.
 */
function whyForbiddenName(name: string): string | null {
  return /(^|\.)localhost\.?$/i.test(name) ? 'loopback' : null
}

/**
 * Refuses a name if one of its addresses is forbidden, because DNS rebinding answers with allowed and forbidden addresses.
 */
function checkedLookup(lookup: LookupFunction, whyRefused: typeof whyForbidden): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      if (error) return callback(error, address, family)
      const answers = Array.isArray(address) ? address.map(answer => answer.address) : [address]
      for (const answer of answers) {
        const why = whyRefused(answer)
        if (why) return callback(new ForbiddenAddressError(hostname, why) as NodeJS.ErrnoException, address, family)
      }
      callback(null, address, family)
    })
  }
}
