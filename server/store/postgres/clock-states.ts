import type { ClockState, ClockStates } from '../../base/clock-check.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

const find = statement<object, { checked_at: number; doubted_at: number | null }>(
  'SELECT checked_at, doubted_at FROM clock_check WHERE id = 1',
)
// There may be no row yet that could be locked.
const lock = statement<object>('LOCK TABLE clock_check IN EXCLUSIVE MODE')
const put = statement<ClockState>(
  `INSERT INTO clock_check (id, checked_at, doubted_at) VALUES (1, @checkedAt, @doubtedAt)
   ON CONFLICT (id) DO UPDATE SET checked_at = @checkedAt, doubted_at = @doubtedAt`,
)

export function openClockStates(database: Database): ClockStates {
  return {
    replace: next =>
      database.atomically(async within => {
        await within.run(lock, {})
        const row = await within.get(find, {})
        await within.run(put, next(row && { checkedAt: row.checked_at, doubtedAt: row.doubted_at }))
      }),
  }
}
