import type { Awaitable } from './awaitable.ts'
import { dayMs } from './day-ms.ts'

/** What the last deletion by age knew of the clock. Times are milliseconds since 1970. */
export interface ClockState {
  checkedAt: number
  /** When the clock was found to be set forward; null = the clock is trusted. */
  doubtedAt: number | null
}

export interface ClockStates {
  /** Passes the stored state (undefined if there is none) to `next` and stores the result. Atomic across processes. */
  replace(next: (state: ClockState | undefined) => ClockState): Awaitable<void>
}

export interface ClockCheck {
  /**
   * Returns whether data may be deleted by its age now. After the clock moved forward by most of a day, returns false for a
   * day: a clock that was set wrong would make everything old. The server may also have been off for that time.
   */
  isTrusted(): Promise<boolean>
}

/** Deletions ask every few hours. The clock of a server that is off at night moves by less than this. */
const maxStepMs = 20 * 60 * 60 * 1000

/** Creates the check that runs before every deletion by age. */
export function createClockCheck(options: {
  states: ClockStates
  now(): number
  log: { warn(details: object, message: string): void }
}): ClockCheck {
  const { states, now, log } = options
  return {
    async isTrusted() {
      const at = now()
      let state: ClockState = { checkedAt: at, doubtedAt: null }
      let aheadMs = 0
      await states.replace(before => {
        state = nextState(before, at)
        aheadMs = state.doubtedAt === at && before ? at - before.checkedAt : 0
        return state
      })
      if (aheadMs > 0) {
        const details = { movedHours: Math.round(aheadMs / 3_600_000), now: new Date(at).toISOString() }
        log.warn(
          details,
          'the clock moved forward, or the server was off; nothing is deleted by age for 24 hours. Check the clock',
        )
      }
      return state.doubtedAt === null
    },
  }
}

/** Exported for tests. */
export function nextState(before: ClockState | undefined, now: number): ClockState {
  if (!before) return { checkedAt: now, doubtedAt: null }
  const { checkedAt, doubtedAt } = before
  if (now - checkedAt > maxStepMs) return { checkedAt: now, doubtedAt: now }
  // After the clock was set back, everything is younger than before.
  const isTrusted = now < checkedAt || doubtedAt === null || now - doubtedAt >= dayMs
  return { checkedAt: now, doubtedAt: isTrusted ? null : doubtedAt }
}
