import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import { FetchError } from './fetch-error.ts'
import type { Attempts, Failure } from './host-health.ts'
import { type FetchRequest, type RequestTools, requestOnce } from './request-once.ts'
import { kindOfError, kindOfStatus } from './retry.ts'

/**
 * Opens an address. Repeats the request while its failure may pass, also when the body of the answer is cut while it is
 * read. Only GET requests are sent, so that a repeated request changes nothing at the server.
 */
export async function openWithRetries(tools: RequestTools, request: FetchRequest): Promise<Answer> {
  const attempts: Attempts = { count: 0, sentAtMs: 0, spentMs: 0 }
  const first = await openNext(tools, request, attempts)
  let current = first

  async function reading<T>(read: (answer: Answer) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await read(current)
      } catch (error) {
        const kind = kindOfError(error)
        if (!kind || !(await waitAfter(tools, current.url.host, { kind, error, retryAfterMs: null }, attempts)))
          throw error
        // The answer of an earlier export is no longer needed: the server has already sent a new one.
        current = await openNext(tools, { ...request, unless: undefined }, attempts)
        if (isSame(current, first)) continue
        await current.drop()
        const isFailed = kindOfStatus(current.status, null) !== null
        throw isFailed ? error : changed(current)
      }
    }
  }

  return {
    ...first,
    read: maxBytes => reading(answer => answer.read(maxBytes)),
    save: (file, maxBytes) => reading(answer => answer.save(file, maxBytes)),
    hash: maxBytes => reading(answer => answer.hash(maxBytes)),
  }
}

/** Sends the request until an answer arrives, or until no retry is left. */
async function openNext(tools: RequestTools, request: FetchRequest, attempts: Attempts): Promise<Answer> {
  const { health } = tools
  for (;;) {
    try {
      health.check(request.url.host)
      const { answer, retryAfterMs } = await requestOnce(tools, request, () => {
        attempts.sentAtMs = performance.now()
      })
      const { host } = answer.url
      const kind = kindOfStatus(answer.status, retryAfterMs)
      if (kind === null) {
        health.noteAnswer(host)
        return answer
      }
      const error = new FetchError('network', `status ${answer.status}`)
      const waitMs = health.noteFailure(host, { kind, error, retryAfterMs }, attempts)
      if (waitMs === null) return answer
      await answer.drop()
      await waitFor(tools, waitMs)
    } catch (error) {
      const kind = kindOfError(error)
      const { host } = (error as FetchError).redirectedTo ?? request.url
      if (!kind || !(await waitAfter(tools, host, { kind, error, retryAfterMs: null }, attempts))) throw error
    }
  }
}

/** Waits before the next attempt. Returns false if there is none. */
async function waitAfter(
  tools: RequestTools,
  host: string,
  failure: Omit<Failure, 'error'> & { error: unknown },
  attempts: Attempts,
): Promise<boolean> {
  const waitMs = tools.health.noteFailure(host, { ...failure, error: failure.error as FetchError }, attempts)
  if (waitMs !== null) await waitFor(tools, waitMs)
  return waitMs !== null
}

async function waitFor({ signal }: RequestTools, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
  signal.throwIfAborted()
}

function isSame(one: Answer, two: Answer): boolean {
  return one.status === two.status && one.url.href === two.url.href && one.contentType === two.contentType
}

function changed({ url }: Answer): FetchError {
  const error = new FetchError('network', `the answer of ${url.host} changed while it was read`)
  error.isFinal = true
  return error
}
