import { dayMs } from '../base/day-ms.ts'

/** A UTC day: whole days since 1970-01-01. */
export type Day = number

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|([+\- ])(\d{2}):?(\d{2}))?)?$/

/**
 * Returns the UTC day of a date (`2026-11-20`) or an ISO 8601 date-time; undefined when the text has another form or is
 * not a valid date or time.
 *
 * A date-time without an offset is UTC. The offset may begin with a space instead of `+`, because an unencoded plus in a
 * query string is decoded as a space.
 */
export function parseDay(text: string): Day | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(part => Number(part ?? 0))
  const offsetMinutes = Number(match[8] ?? 0) * 60 + Number(match[9] ?? 0)
  if (Number(match[8] ?? 0) > 23 || Number(match[9] ?? 0) > 59) return undefined
  const utcMs = toUtcMs(year, month, day, hour, minute, second)
  return utcMs === undefined ? undefined : toDay(utcMs - (match[7] === '-' ? -1 : 1) * offsetMinutes * 60_000)
}

/**
 * Converts a date and time in UTC to milliseconds since 1970; undefined when the day or time does not exist. `month` is
 * 1..12. The parameters are separate because an object would be allocated for every line of a CloudFront log.
 */
export function toUtcMs(year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0): number | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const date = new Date(0)
  // Date.UTC would map the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000
}

/** Returns the UTC day of an instant (milliseconds since 1970). */
export function toDay(ms: number): Day {
  return Math.floor(ms / dayMs)
}

/** Formats a day as `2026-11-20`. */
export function formatDay(day: Day): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
