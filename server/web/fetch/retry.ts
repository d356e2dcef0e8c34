import { FetchError } from './fetch-error.ts'

/**
 * A failure that may pass.
 * - `busy`: the server asks for fewer requests, or for a wait (429, Retry-After)
 * - `gateway`: the server behind a proxy does not work now (502, 503, 504, 408)
 * - `connection`: the server does not answer
 * - `passing`: only this answer failed (500, a body that was cut)
 */
export type FailureKind = 'busy' | 'gateway' | 'connection' | 'passing'

const gatewayStatuses = new Set([408, 502, 503, 504])
/** The server will never support the method or the version of HTTP (RFC 9110, 15.6.2 and 15.6.6). */
const lastingStatuses = new Set([501, 505])

/** Returns the kind of a failed answer; null if the answer is no failure, or will stay as it is. */
export function kindOfStatus(status: number, retryAfterMs: number | null): FailureKind | null {
  if (status === 429) return 'busy'
  if (status !== 408 && (status < 500 || status > 599 || lastingStatuses.has(status))) return null
  if (retryAfterMs !== null) return 'busy'
  return gatewayStatuses.has(status) ? 'gateway' : 'passing'
}

/** Returns whether a status says that the server gets too many requests. */
export function isOverload(status: number): boolean {
  return status === 429 || status === 503
}

/** Returns the kind of an error; null if a retry cannot help. An unknown host name does not become known within seconds. */
export function kindOfError(error: unknown): FailureKind | null {
  if (!(error instanceof FetchError) || error.isFinal) return null
  if (error.isCut) return 'passing'
  if (error.code === 'timeout') return 'connection'
  const isUnknownName = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOTFOUND'
  return error.code === 'network' && !isUnknownName ? 'connection' : null
}

/** Max wait for one Retry-After. */
export const maxRetryAfterMs = 60_000

/**
 * Reads a Retry-After header: seconds or a date (RFC 9110, 10.2.3).
 *
 * @returns milliseconds, at most `maxRetryAfterMs`; null without a readable value.
 */
export function readRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? ''
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : readDate(text) - nowMs
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(0, waitMs), maxRetryAfterMs)
}

/** Reads a date of HTTP, which always names GMT. `Date.parse` also reads many texts that are no date. */
function readDate(text: string): number {
  return /^[A-Za-z]{3,9},? .{5,40}$/.test(text) ? Date.parse(/GMT$/.test(text) ? text : `${text} GMT`) : Number.NaN
}

const growth = 3
const longestDelayMs = 15_000

/**
 * Returns the wait before a retry. It grows with each retry. Half of it is random, so that requests that failed together are
 * not sent together again.
 *
 * @param retry 0 for the first retry.
 * @param random from 0 to 1.
 */
export function backoffMs(retry: number, firstMs: number, random: number): number {
  return Math.min(firstMs * growth ** retry, longestDelayMs) * (0.5 + random / 2)
}
