import type { Day } from '../day.ts'
import type { CellChanges } from './cell-changes.ts'
import type { Cells } from './cells.ts'

/**
 * Adds the changes of a day to its month. Skips counters with a previous day in the same month, because their visitors
 * are already counted on that earlier day.
 */
export function addToMonth(changes: CellChanges, month: Day, cells: Cells): void {
  const { length, previous, pages, human, ai, total } = cells
  for (let i = 0; i < length; i++) {
    const day = previous[i] as number
    if (day >= month) continue
    changes.add(month, day, pages[i] as number, human[i] as number, ai[i] as number, total[i] as number)
  }
}
