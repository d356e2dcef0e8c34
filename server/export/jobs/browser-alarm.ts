import { browserStarts } from '../../base/measures.ts'

/** Tells the operator that the browser cannot be started. */
export type BrowserAlarm = (problem: string) => void

const everyMs = 60_000

/** Creates an alarm that logs at most once a minute, because every export meets the same fault of the machine. */
export function createBrowserAlarm(
  log: { error(details: object, message: string): void },
  now = () => performance.now(),
): BrowserAlarm {
  let loggedAt = Number.NEGATIVE_INFINITY
  return problem => {
    browserStarts.tell(false)
    if (now() - loggedAt < everyMs) return
    loggedAt = now()
    log.error({ problem }, 'Chromium cannot be started: bundles are not checked in a browser, and some exports fail')
  }
}
