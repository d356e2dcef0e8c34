import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { isTransient } from './fetch-error.ts'

const busyStatuses = new Set([429, 502, 503, 504])

export interface RetryOptions {
  /** Waits before the second try, the third and so on; after the last one the outcome stands. */
  delaysMs: readonly number[]
  /** Ends the tries and the waits. */
  deadline: AbortSignal
  /** Turns the reason of an abort into the error to throw. */
  explain(error: unknown): unknown
}

/** Sends a request, and sends it again while the server is busy or the connection fails in a way that may pass. */
export async function requestWithRetries(
  send: () => Promise<Dispatcher.ResponseData>,
  { delaysMs, deadline, explain }: RetryOptions,
): Promise<Dispatcher.ResponseData> {
  for (let attempt = 0; ; attempt += 1) {
    const delayMs = delaysMs[attempt]
    try {
      const response = await send()
      if (delayMs === undefined || !busyStatuses.has(response.statusCode)) return response
      await response.body.dump({ limit: 64 * 1024 }).catch(() => {})
      const retryAfterMs = Number(response.headers['retry-after']) * 1000
      const waitMs = Math.min(retryAfterMs > 0 ? retryAfterMs : delayMs, maxRetryAfterMs)
      await sleep(waitMs, undefined, { signal: deadline })
    } catch (error) {
      if (deadline.aborted) throw explain(deadline.reason)
      if (delayMs === undefined || !isTransient(error)) throw error
      await sleep(delayMs, undefined, { signal: deadline }).catch(() => {})
      if (deadline.aborted) throw explain(deadline.reason)
    }
  }
}

const maxRetryAfterMs = 10_000
