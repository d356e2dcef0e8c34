import { type Day, formatDay } from '../day.ts'

/** Length of the periods of a series: UTC days, ISO weeks from Monday, or calendar months. */
export const periodLengths = ['day', 'week', 'month'] as const
export type PeriodLength = (typeof periodLengths)[number]

/** Days; `to` is exclusive. */
export interface Period {
  from: Day
  to: Day
}

const maxDays = 45
const maxWeeks = 40

/**
 * Splits a range into periods. The first and the last one are cut to the range.
 *
 * @return none for an empty range
 */
export function splitRange({ from, to }: Period, length: PeriodLength): Period[] {
  const periods: Period[] = []
  for (let start = from; start < to; ) {
    const end = Math.min(to, findEnd(start, length))
    periods.push({ from: start, to: end })
    start = end
  }
  return periods
}

/** Chooses periods that fit on a screen. */
export function choosePeriodLength({ from, to }: Period): PeriodLength {
  if (to - from <= maxDays) return 'day'
  return to - from <= maxWeeks * 7 ? 'week' : 'month'
}

/** Returns the first day after the period of a day. */
function findEnd(day: Day, length: PeriodLength): Day {
  if (length === 'day') return day + 1
  // 1970-01-01 was a Thursday: day 4 was a Monday.
  if (length === 'week') return day + 7 - ((day + 3) % 7)
  const [year = 0, month = 0] = formatDay(day).split('-').map(Number)
  return Date.UTC(year, month) / (24 * 60 * 60 * 1000)
}
