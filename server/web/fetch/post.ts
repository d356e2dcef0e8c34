import type { LookupFunction } from 'node:net'
import { request } from 'undici'
import type { AddressRange } from '../../base/address-range.ts'
import { startDeadline } from '../../base/timer.ts'
import { readRetryAfter, toFetchError } from './fetch-error.ts'
import { openGuardedAgent } from './guarded-agent.ts'
import { firstValue } from './request.ts'

/** The most bytes of an answer that are read, so that the connection ends in order; then it is cut. */
const maxAnswerBytes = 64 * 1024

export interface PostOptions {
  timeoutMs: number
  /** Whether the address may be private or loopback. */
  isExempt: boolean
  /** Private addresses that are allowed, by whatever name. */
  ranges: readonly AddressRange[]
  signal: AbortSignal
  /** The maximum of `retryAfterMs`. */
  maxRetryAfterMs: number
  /** For tests: how names are resolved. */
  lookup?: LookupFunction
}

/**
 * Sends a POST request once, by a connection for it alone, through the guard of `openGuardedAgent`. Follows no redirect, and ignores the
 * body of the answer.
 *
 * @returns the status, and the wait that the answer asks for; null = none
 * @throws {FetchError} without an answer.
 */
export async function post(
  url: URL,
  { headers, body }: { headers: Record<string, string>; body: string },
  options: PostOptions,
): Promise<{ status: number; retryAfterMs: number | null }> {
  const { timeoutMs, isExempt, ranges, signal, maxRetryAfterMs, lookup } = options
  const limits = { connections: 1, pageTimeoutMs: timeoutMs }
  const agent = openGuardedAgent(isExempt ? [url] : [], limits, lookup, ranges)
  const timeLimit = startDeadline(timeoutMs, () => new DOMException('slow', 'TimeoutError'))
  try {
    const response = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers,
      body,
      signal: AbortSignal.any([signal, timeLimit.signal]),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    })
    // The status decides; an endless body changes nothing.
    await response.body.dump({ limit: maxAnswerBytes, signal: timeLimit.signal }).catch(() => {})
    const retryAfter = firstValue(response.headers['retry-after'])
    return { status: response.statusCode, retryAfterMs: readRetryAfter(retryAfter, Date.now(), maxRetryAfterMs) }
  } catch (error) {
    throw toFetchError(error, url, signal, limits)
  } finally {
    timeLimit.clear()
    await agent.destroy()
  }
}
