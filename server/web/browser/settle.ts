import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page, WebWorker } from 'puppeteer'
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

/** The workers of a page have this number of turns too, because their answers change the page. */
const workerTurns = `new Promise(done => {
  let turns = ${quietTurns}
  const look = () => (turns-- > 0 ? setTimeout(look, 12) : done())
  look()
})`
/** Max time to wait for workers, and max share of the time that is left: workers that compute for ever slow down the page. */
const maxWorkerMs = 3000
const workerShare = 0.25
/** Pages with a worker that did not answer in time. Their workers are not waited for again. */
const givenUp = new WeakSet<OpenRequests>()

/** Waits until the document and its workers are quiet and have no open requests, or until the deadline. */
export async function settle(
  { page, client }: { page: Page; client: CDPSession },
  showing: OpenRequests,
  deadline: number,
): Promise<void> {
  let restless = 0
  let hadTurns = 0
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
    const workers = givenUp.has(showing) ? [] : page.workers()
    if (isQuiet && workers.length > hadTurns) {
      const patienceMs = Math.min(maxWorkerMs, workerShare * (deadline - performance.now()))
      if (!(await giveTurns(workers, patienceMs))) givenUp.add(showing)
      hadTurns = workers.length
      continue
    }
    if (!isQuiet) restless += 1
    if (isQuiet || restless >= maxRestless) return
  }
}

/** Returns false if a worker computed for longer than the patience, or did not start because its script is missing. */
async function giveTurns(workers: readonly WebWorker[], patienceMs: number): Promise<boolean> {
  const timeout = new AbortController()
  const hadTurns = Promise.all(workers.map(worker => worker.evaluate(workerTurns).catch(() => {}))).then(() => true)
  const isLate = sleep(patienceMs, false, { signal: timeout.signal }).catch(() => false)
  const isInTime = await Promise.race([hadTurns, isLate])
  timeout.abort()
  return isInTime
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
