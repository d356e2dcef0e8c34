import type { Day } from '../day.ts'
import { startOfMonth, startOfNextMonth } from './month.ts'

/** Days one after the other. */
export interface DaySpan {
  from: Day
  /** Exclusive. */
  to: Day
}

/** Which blocks make up a range: days one by one, and the months that lie in it as a whole. */
export interface RangePlan {
  days: DaySpan[]
  /** From first day to first day. Empty spans are left out. */
  months: DaySpan | undefined
}

/**
 * Chooses the blocks to be summed up for a range: as many whole months as possible.
 *
 * @param range what is asked for
 * @param visited from the first day that has visits up to the last one; a month that has no others lies in the range, too
 */
export function planRange(range: DaySpan, visited: DaySpan): RangePlan {
  const from = Math.max(range.from, visited.from)
  const to = Math.min(range.to, visited.to)
  if (from >= to) return { days: [], months: undefined }
  const monthsFrom =
    range.from <= visited.from || startOfMonth(from) === from ? startOfMonth(from) : startOfNextMonth(from)
  const monthsTo = range.to >= visited.to ? startOfNextMonth(to - 1) : startOfMonth(to)
  if (monthsFrom >= monthsTo) return { days: [{ from, to }], months: undefined }
  const days = [
    { from, to: monthsFrom },
    { from: monthsTo, to },
  ]
  return { days: days.filter(span => span.from < span.to), months: { from: monthsFrom, to: monthsTo } }
}
