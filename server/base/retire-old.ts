import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Awaitable } from './awaitable.ts'
import type { Stoppable } from './background.ts'
import type { ClockCheck } from './clock-check.ts'
import { dayMs } from './day-ms.ts'
import type { Exclusively } from './exclusively.ts'
import { repeat } from './timer.ts'

const everyMs = 60 * 60 * 1000
/** Rows of one transaction, so that requests are answered in between. */
const batchRows = 1000

export interface Retirement {
  /** Such as `agent jobs`. */
  what: string
  /** What is done with them, such as `archived`. */
  done: string
  /** Age in days; undefined = never. */
  retentionDays: number | undefined
  /** Works on at most `limit` that are older than `before`. Returns how many there were. */
  retire(before: number, now: number, limit: number): Awaitable<number>
  exclusively: Exclusively
  clock: ClockCheck
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

/** Archives or deletes what is old, now and every hour. Does nothing if no retention is set. */
export function startRetirement(options: Retirement): Stoppable {
  const { what, done, retentionDays, retire, exclusively, clock, log } = options
  if (retentionDays === undefined) return { stop() {} }
  let isStopped = false
  const work = async () => {
    if (!(await clock.isTrusted())) return
    const now = Date.now()
    let count = 0
    for (let batch = batchRows; batch === batchRows && !isStopped; count += batch) {
      batch = await retire(now - retentionDays * dayMs, now, batchRows)
      await nextTurn()
    }
    if (count > 0) log.info({ [done]: count, retentionDays }, `${done} old ${what}`)
  }
  const repetition = repeat(everyMs, async () => exclusively(`retirement of ${what}`, work), {
    startsNow: true,
    onError: err => log.error({ err }, `old ${what} could not be ${done}; the next attempt follows in an hour`),
  })
  return {
    stop() {
      isStopped = true
      return repetition.stop()
    },
  }
}
