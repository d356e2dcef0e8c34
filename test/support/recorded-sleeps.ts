import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'

/**
 * Ends waits of `fromMs` or more of node:timers/promises at once, until the test ends. The clock `performance.now()` goes
 * forward by them.
 *
 * @returns the milliseconds of each such wait so far
 */
export function recordLongSleeps(fromMs: number): number[] {
  const slept: number[] = []
  const sleep = timers.setTimeout
  const now = performance.now.bind(performance)
  let sleptMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + sleptMs)
  const spy = vi.spyOn(timers, 'setTimeout').mockImplementation((delayMs, value, options) => {
    if (delayMs === undefined || delayMs < fromMs) return sleep(delayMs, value, options)
    slept.push(delayMs)
    sleptMs += delayMs
    return Promise.resolve(value as never)
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    clock.mockRestore()
    syncBuiltinESMExports()
  })
  return slept
}
