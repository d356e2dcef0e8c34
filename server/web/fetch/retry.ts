import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { isTransient } from './fetch-error.ts'

const busyStatuses = new Set([429, 502, 503, 504])

export interface RetryOptions {
  /** Delays before the second attempt, the third and so on. The result of the last attempt is final. */
  delaysMs: readonly number[]
  /** Ends the attempts and the delays. */
  deadline: AbortSignal
  /** Converts the reason of an abort into the error to throw. */
  explain(error: unknown): unknown
}

/** Sends a request. Retries while the server is busy or the connection fails with a transient error. */
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
