import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession } from 'puppeteer'
import { waitForQuiet } from './in-page.ts'

/** The requests of the current page. */
export interface OpenRequests {
  /** Requests without an answer yet, by the browser's request id. */
  open: Map<string, { url: string; startedAt: number }>
  /** The number of answered requests. */
  finished: number
}

/** A document is quiet after this number of turns of its event loop without a change. */
const quietTurns = 6
const quietExpression = waitForQuiet(quietTurns, 1000)
/** Max time to wait for one request. */
const maxWaitMs = 10000
/** How many times, a second each, a document may still change (clocks, tickers) after all its requests are answered. */
const maxRestless = 3

/** Waits until the document no longer changes and has no open requests, or until the deadline. */
export async function settle(client: CDPSession, showing: OpenRequests, deadline: number): Promise<void> {
  let restless = 0
  while (performance.now() < deadline) {
    if (isWaiting(showing)) {
      await sleep(10)
      continue
    }
    const finished = showing.finished
    // Uses the session that also reports requests. The browser preserves the order of messages, so every request that the
    // page made before it became quiet is known at this point, even on a busy machine.
    const isQuiet = await client
      .send('Runtime.evaluate', { expression: quietExpression, awaitPromise: true, returnByValue: true })
      .then(({ result }) => result.value === true)
      .catch(falseWhenNavigated)
    const stayedSilent = !isWaiting(showing) && showing.finished === finished
    if (!stayedSilent) continue
    if (!isQuiet) restless += 1
    if (isQuiet || restless >= maxRestless) return
  }
}

/** Stops waiting for this address. */
export function forget({ open }: OpenRequests, url: string): void {
  for (const [id, request] of open) if (request.url === url) open.delete(id)
}

function isWaiting({ open }: OpenRequests): boolean {
  const now = performance.now()
  for (const { startedAt } of open.values()) if (now - startedAt < maxWaitMs) return true
  return false
}

/** Returns false if the page navigated in the meantime. Throws every other error. */
function falseWhenNavigated(error: unknown): false {
  const message = String((error as Error)?.message)
  if (/context was destroyed|Cannot find context|Promise was collected|navigated or closed/i.test(message)) return false
  throw error
}
