import { type Dispatcher, request } from 'undici'
import { startDeadline } from '../../base/timer.ts'
import { type Answer, openAnswer } from './answer.ts'
import { toBodyError, toFetchError } from './fetch-error.ts'
import type { FetcherOptions } from './fetcher-options.ts'
import { followRedirects } from './follow-redirects.ts'
import type { HostHealth } from './host-health.ts'
import type { TurnOutcome } from './host-turns.ts'
import { isOverload, kindOfError, readRetryAfter } from './retry.ts'
import { conditions, type Validators } from './validators.ts'

/** The User-Agent of every request, also matched against robots.txt. */
export const userAgent = 'QuireExport/0.1 (+static export)'

export interface FetchRequest {
  url: URL
  accept: string
  /** The server answers 304 without a body if the file still has these validators. */
  unless: Validators | undefined
}

export interface RequestTools extends FetcherOptions {
  agent: Dispatcher
  health: HostHealth
  /** Called with the length of each decompressed chunk. Throws if all answers together are too large. */
  countBytes(bytes: number): void
}

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
      maxRedirects: limits.redirects,
      locate: tools.locate,
      isExcluded: tools.isExcluded,
      request(url) {
        health.check(url.host)
        return send(tools, url, wanted, deadline)
      },
      arrive(url, isRedirected, response) {
        retryAfterMs = readRetryAfter(String(response.headers['retry-after'] ?? ''), Date.now())
        if (isOverload(response.statusCode)) outcome = 'overloaded'
        return openAnswer({
          url,
          isRedirected,
          response,
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
