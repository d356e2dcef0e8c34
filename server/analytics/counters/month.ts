import { dayMs } from '../../base/day-ms.ts'
import { type Day, toDay } from '../day.ts'
import type { CellChanges } from './cell-changes.ts'
import type { Cells } from './cells.ts'

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

/**
 * Adds the changes of a day to its month. Skips counters with a previous day in the same month, because their visitors
 * are already counted on that earlier day.
 */
export function addToMonth(changes: CellChanges, day: Day, { length, previous, pages, human, ai, total }: Cells): void {
  const month = startOfMonth(day)
  for (let i = 0; i < length; i++) {
    const before = previous[i] as number
    if (before >= month) continue
    changes.add(month, before, pages[i] as number, human[i] as number, ai[i] as number, total[i] as number)
  }
}
