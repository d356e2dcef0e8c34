import type { Day } from '../day.ts'
import { startOfMonth, startOfNextMonth } from './month.ts'

/** Consecutive days. */
export interface DaySpan {
  from: Day
  /** Exclusive. */
  to: Day
}

/** The blocks that make up a range: single days and whole months. */
export interface RangePlan {
  days: DaySpan[]
  /** Whole months: `from` and `to` are first days of months. Undefined when the range contains no whole month. */
  months: DaySpan | undefined
}

/**
 * Chooses the blocks to sum for a range: as many whole months as possible.
 *
 * @param range the requested days
 * @param visited the days from the first visit to the last visit; a month counts as whole if the range contains all days
 * that the month and `visited` have in common
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
