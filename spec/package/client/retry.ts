import type { QuireError } from './error.ts'

export interface RetryOptions {
  /** How often a request is sent at most, 1 = never again. Default: 3. */
  attempts?: number
  /** The longest wait before an attempt. An answer that asks for a longer one is returned at once. Default: 10 seconds. */
  maxWaitMs?: number
}

/** The statuses of servers and proxies that may serve the same request a moment later. */
const busy = [429, 502, 503, 504]

/**
 * Returns whether a request can be repeated without harm, although its first attempt may have been carried out: the methods that
 * are idempotent (RFC 9110, 9.2.2), and a start that its key identifies.
 */
export function isRepeatable(method: string, headers: Headers): boolean {
  return ['GET', 'PUT', 'DELETE'].includes(method) || headers.has('Idempotency-Key')
}

/** Returns how long to wait before the next attempt; undefined = another attempt would not help. */
export function findWait(
  { status, retryAfterMs }: Pick<QuireError, 'status' | 'retryAfterMs'>,
  attempt: number,
  { attempts, maxWaitMs }: Required<RetryOptions>,
): number | undefined {
  if (attempt >= attempts) return undefined
  if (status !== undefined && !busy.includes(status)) return undefined
  // A budget that is spent does not fill up by guessing.
  if (status === 429 && retryAfterMs === undefined) return undefined
  const waitMs = retryAfterMs ?? growWait(attempt)
  return waitMs <= maxWaitMs ? waitMs : undefined
}

/** Returns half a second for the first wait, doubled for each further one, less up to a quarter at random. */
export function growWait(attempt: number): number {
  return 500 * 2 ** (attempt - 1) * (1 - Math.random() / 4)
}

/** Reads `Retry-After` (RFC 9110, 10.2.3), in seconds or as a date; undefined if there is none that can be read. */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  // JavaScript also takes -1 for a date.
  const date = /^[A-Z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** Waits. Rejects with the reason of the signal as soon as it is aborted. */
export function sleep(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, waitMs)
    signal?.addEventListener('abort', end, { once: true })
  })
}
