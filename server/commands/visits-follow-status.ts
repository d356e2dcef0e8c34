import { resolve } from 'node:path'
import type { FollowStatus } from '../analytics/follow/follow-log.ts'
import { sum } from '../analytics/import/import-tally.ts'
import { showCount } from './print.ts'
import { toMostLines } from './visits-import-summary.ts'

/** Reports the progress of a follower. */
export interface StatusOutput {
  show(status: FollowStatus): void
  warn(message: string): void
  end(status: FollowStatus, seconds: number): void
  clear(): void
}

/**
 * Prints each status, and the last one, as a JSON line.
 *
 * @param project undefined = the log has several projects; then hosts without a registered site are listed
 */
export function createJsonStatus(file: string, project: string | undefined): StatusOutput {
  const log = resolve(file)
  const rate = createRate()
  const print = ({ tally, unknownHosts, aheadBytes, suspicions }: FollowStatus) => {
    const { lines, views, newVisitorDays, tooOldViews, filtered, malformed } = tally
    const counts = { lines, linesPerSecond: rate(lines), aheadBytes, pageViews: views, newVisitorDays, tooOldViews }
    const hosts = project === undefined ? { unknownHosts: toMostLines(unknownHosts) } : {}
    console.log(JSON.stringify({ log, project, ...counts, filtered, malformed, ...hosts, warnings: suspicions }))
  }
  return {
    show: print,
    warn: message => console.error(message),
    end: print,
    clear() {},
  }
}

/** Shows each status on standard error if that is a terminal, and prints the last one to standard output. */
export function createStatusLine(file: string): StatusOutput {
  const rate = createRate()
  const isShown = process.stderr.isTTY
  const clear = () => {
    if (isShown) process.stderr.write('\r\x1b[K')
  }
  return {
    show({ tally, aheadBytes }) {
      if (!isShown) return
      const text = `${file}: ${showCount(tally.lines)} lines, ${showCount(rate(tally.lines))} lines/s, ${showCount(aheadBytes)} bytes behind`
      process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
    },
    warn(message) {
      clear()
      console.error(message)
    },
    end({ tally: { lines, views, filtered, malformed, newVisitorDays }, unknownHosts }, seconds) {
      clear()
      const hosts = Object.keys(toMostLines(unknownHosts)).join(', ')
      console.log(
        `${showCount(lines)} ${lines === 1 ? 'line' : 'lines'} in ${seconds.toFixed(1)} s: page views human ${showCount(views.human)}, AI ${showCount(views.ai)}, ` +
          `neither ${showCount(views.neither)}; filtered ${showCount(sum(filtered))}, malformed ${showCount(sum(malformed))}; ` +
          `new visitor days ${showCount(newVisitorDays)}${hosts ? `; no site for ${hosts}` : ''}`,
      )
    },
    clear,
  }
}

/** Returns a function that gives the lines per second since its last call. */
function createRate(): (lines: number) => number {
  let before = { lines: 0, at: performance.now() }
  return lines => {
    const now = { lines, at: performance.now() }
    const perSecond = ((now.lines - before.lines) * 1000) / Math.max(1, now.at - before.at)
    before = now
    return Math.round(perSecond)
  }
}
