import { type Day, dayMs, toDay } from '../day.ts'

/** The first day of the month that a day is in. */
export function startOfMonth(day: Day): Day {
  const date = new Date(day * dayMs)
  return toDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()))
}

/** The first day of the month after the one that a day is in. */
export function startOfNextMonth(day: Day): Day {
  const date = new Date(day * dayMs)
  return toDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1))
}
