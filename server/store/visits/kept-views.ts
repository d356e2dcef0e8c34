import type { Day } from '../../analytics/day.ts'
import { asLabel, dropDays, type ViewBatch } from '../../analytics/view-batch.ts'
import type { DestroyedDays } from './period-keys.ts'

/** Returns the batch without the views of days whose keys were destroyed: their visitors would count again. */
export function dropDestroyed(batch: ViewBatch, destroyed: readonly DestroyedDays[]): ViewBatch {
  if (destroyed.length === 0) return batch
  const isDestroyed = (day: Day) => destroyed.some(({ from, to }) => day >= from && day < to)
  const dropped = new Set([...new Set(batch.days.subarray(0, batch.length))].filter(isDestroyed))
  return dropped.size === 0 ? batch : dropDays(batch, day => dropped.has(day))
}

/** Counts the views since a day, without labels. */
export function countViews({ length, days, masks }: ViewBatch, from = 0): number {
  let count = 0
  for (let i = 0; i < length; i++) if ((days[i] as number) >= from && masks[i] !== asLabel) count++
  return count
}
