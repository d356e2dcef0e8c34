import { dayMs } from '../../base/day-ms.ts'
import { type Day, toDay } from '../day.ts'

/** Returns the first day of the month of a day. */
export function startOfMonth(day: Day): Day {
  const date = new Date(day * dayMs)
  return toDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()))
}

/** Returns the first day of the month after the month of a day. */
export function startOfNextMonth(day: Day): Day {
  const date = new Date(day * dayMs)
  return toDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1))
}
