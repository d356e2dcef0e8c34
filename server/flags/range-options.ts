import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Day, parseDay, toDay } from '../analytics/day.ts'
import { type PeriodLength, periodLengths } from '../analytics/report/periods.ts'
import type { DayRange } from '../analytics/unique-visitors.ts'
import { OperatorError } from '../base/operator-error.ts'
import { integer } from './integer.ts'

/** The parsed flags of `addRangeOptions`. */
export interface RangeFlags {
  from?: Day
  to?: Day
  lastDays?: number
  by?: PeriodLength
}

/** Adds the flags for a range of days. They have no environment variables, because each call asks for another range. */
export function addRangeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--from <date>', 'first day, such as 2026-11-01 (default: the first visit)').argParser(toDate),
    )
    .addOption(
      new Option('--to <date>', 'the day after the last one (default: up to the last visit)').argParser(toDate),
    )
    .addOption(
      new Option('--last-days <number>', 'the last N days in UTC, including today')
        .argParser(integer(1, 36_500))
        .conflicts(['from', 'to']),
    )
}

/** Adds `--by`. */
export function addPeriodOption(command: Command, description: string): Command {
  return command.addOption(new Option('--by <period>', description).choices(periodLengths))
}

/**
 * Returns the range of the flags.
 *
 * @param now milliseconds since 1970
 * @throws {OperatorError} when the range ends before it begins.
 */
export function readRange({ from, to, lastDays }: RangeFlags, now: number): DayRange {
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
