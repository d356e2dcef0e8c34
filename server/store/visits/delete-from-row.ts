import { readSeenRow, type SeenDay, type SeenRow, SeenRowWriter } from '../../analytics/counters/seen-rows.ts'
import type { Day } from '../../analytics/day.ts'

/** Deletes days from a row. Returns their number. */
export function deleteFromRow(
  store: {
    put(visitor: Uint8Array, fromDay: Day, days: Uint8Array): void
    delete(visitor: Uint8Array, day: Day): void
  },
  visitor: Uint8Array,
  row: SeenRow,
  isDeleted: (day: Day) => boolean,
): number {
  const days: SeenDay[] = []
  readSeenRow(row, days)
  const kept = days.filter(({ day }) => !isDeleted(day))
  if (kept.length === days.length) return 0
  if (kept[0]?.day !== row.fromDay) store.delete(visitor, row.fromDay)
  const writer = new SeenRowWriter((fromDay, bytes) => store.put(visitor, fromDay, bytes))
  for (const day of kept) writer.add(day)
  writer.end()
  return days.length - kept.length
}
