import { browserStarts } from '../../base/measures.ts'
import { findBrowser } from '../../web/browser/find-browser.ts'

/** Tells the operator that the browser cannot be started. */
export type BrowserAlarm = (problem: string) => void

/** Returns a function that says why exports of this process cannot use the browser; undefined = they can, as far as is known. */
export function watchBrowser(): () => string | undefined {
  let hasStarted = true
  browserStarts.listen(started => {
    hasStarted = started
  })
  return () => {
    if (findBrowser() === null) return 'no Chromium was found, and some sites need one'
    return hasStarted ? undefined : 'Chromium cannot be started, and some sites need one'
  }
}

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
