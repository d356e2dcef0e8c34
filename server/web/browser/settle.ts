/** What a page waits for. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'puppeteer'
import { waitForQuiet } from './in-page.ts'

export interface OpenRequests {
  /** Requests that the page has no answer to yet, by the browser's id for them. */
  open: Map<string, { url: string; startedAt: number }>
  /** How many were answered. */
  finished: number
}

/** Waits until the document stopped changing and nothing it asked for is open, or until it had time enough. */
export async function settle(client: CDPSession, showing: OpenRequests, deadline: number): Promise<void> {
  let restless = 0
  while (performance.now() < deadline) {
    if (isWaiting(showing)) {
      await sleep(10)
      continue
    }
    const finished = showing.finished
    // Over the session that tells of requests: both come from the page in order, so a request that the page made before
    // it fell quiet is known when the quiet is, however busy the machine.
    const isQuiet = await client
      .send('Runtime.evaluate', { expression: quietExpression, awaitPromise: true, returnByValue: true })
      .then(({ result }) => result.value === true)
      .catch(error => leftThePage(error))
    const stayedSilent = !isWaiting(showing) && showing.finished === finished
    if (!stayedSilent) continue
    if (!isQuiet) restless += 1
    if (isQuiet || restless >= maxRestless) return
  }
}

export function isWaiting({ open }: OpenRequests): boolean {
  const now = performance.now()
  for (const { startedAt } of open.values()) if (now - startedAt < maxWaitMs) return true
  return false
}

/** No longer waits for this address. */
export function forget({ open }: OpenRequests, url: string): void {
  for (const [id, request] of open) if (request.url === url) open.delete(id)
}

/** False when the page just moved on; everything else is thrown again. */
export function leftThePage(error: unknown): false {
  if (
    /context was destroyed|Cannot find context|Promise was collected|navigated or closed/i.test(
      String((error as Error)?.message),
    )
  )
    return false
  throw error
}

/** Fails as soon as the tab crashes; without that, whoever waits for its answer hears nothing until the time is up. */
export async function untilCrash<T>(page: Page, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  page.once('error', reject)
  try {
    return await Promise.race([work, promise])
  } finally {
    page.off('error', reject)
    work.catch(() => {})
  }
}

export async function withDeadline<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('it took too long')), ms)
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    work.catch(() => {})
  }
}

/** Whether two addresses are the same but for the fragment, which is no part of a request. */
export function sameFile(a: string, b: string): boolean {
  return a.split('#', 1)[0] === b.split('#', 1)[0]
}

/** A document is finished when all it asked for is there and so many turns of its event loop changed nothing. */
const quietTurns = 6
export const quietExpression = `(${waitForQuiet})(${quietTurns}, 1000)`
/** A request that takes longer than this is not waited for. */
export const maxWaitMs = 10000
/** How often a document may be found changing (clocks, tickers) when all its requests are answered; a second each. */
export const maxRestless = 3
