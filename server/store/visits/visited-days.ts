import type { DaySpan } from '../../analytics/counters/range-plan.ts'
import type { Day } from '../../analytics/day.ts'
import type { DayRange } from '../../analytics/unique-visitors.ts'
import type { VisitedDays } from '../../analytics/visit-counts.ts'

/** The first and the last day of a table. */
export interface FoundDays {
  first: Day | null
  last: Day | null
}

/** The first and the last day, both with visits. */
export type Days = Pick<VisitedDays, 'first' | 'last'>

/** Returns undefined for a table without rows. */
export function toDays({ first, last }: FoundDays = { first: null, last: null }): Days | undefined {
  return first === null || last === null ? undefined : { first, last }
}

/** Returns the days with visits or labels; undefined if there are none. */
export function toVisitedDays(
  counted: Days | undefined,
  labelled: Days | undefined,
  about: Omit<VisitedDays, 'first' | 'last'>,
): VisitedDays | undefined {
  const found = [counted, labelled].filter(days => days !== undefined)
  if (found.length === 0) return undefined
  return {
    first: Math.min(...found.map(({ first }) => first)),
    last: Math.max(...found.map(({ last }) => last)),
    ...about,
  }
}

/** Returns the days of a range. */
export function toSpan({ dateFrom, dateTo }: DayRange): DaySpan {
  return { from: dateFrom ?? Number.MIN_SAFE_INTEGER, to: dateTo ?? Number.MAX_SAFE_INTEGER }
}
