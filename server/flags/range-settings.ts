import { InvalidArgumentError } from 'commander'
import { type Day, parseDay, toDay } from '../analytics/day.ts'
import type { DayRange } from '../analytics/unique-visitors.ts'
import { OperatorError } from '../base/operator-error.ts'
import { type FlagsOf, integer, type Settings } from './setting.ts'

/** The settings for a range of days. They have no environment variables, because each call asks for another range. */
export const rangeSettings = {
  from: { flag: '--from <date>', what: 'first day, such as 2026-11-01 (default: the first visit)', read: toDate },
  to: { flag: '--to <date>', what: 'the day after the last one (default: up to the last visit)', read: toDate },
  lastDays: {
    flag: '--last-days <number>',
    what: 'the last N days in UTC, including today',
    read: integer(1, 36_500),
    conflicts: ['from', 'to'],
  },
} as const satisfies Settings

/**
 * Returns the range of the flags.
 *
 * @param now milliseconds since 1970
 * @throws {OperatorError} when the range ends before it begins.
 */
export function readRange({ from, to, lastDays }: FlagsOf<typeof rangeSettings>, now: number): DayRange {
  if (lastDays !== undefined) return { dateFrom: toDay(now) + 1 - lastDays }
  if (from !== undefined && to !== undefined && from >= to) {
    throw new OperatorError('--to must be after --from. It is exclusive: give the day after the last one.', 2)
  }
  return { ...(from !== undefined && { dateFrom: from }), ...(to !== undefined && { dateTo: to }) }
}

function toDate(text: string): Day {
  const day = parseDay(text)
  if (day === undefined) throw new InvalidArgumentError('It must be a date, such as 2026-11-20.')
  return day
}
