import type { ClockState, ClockStates } from '../base/clock-check.ts'
import type { Database } from './database.ts'

export function openClockStates(database: Database): ClockStates {
  const find = database.prepare<[], { checked_at: number; doubted_at: number | null }>(
    'SELECT checked_at, doubted_at FROM clock_check WHERE id = 1',
  )
  const put = database.prepare<[ClockState]>(
    'INSERT OR REPLACE INTO clock_check (id, checked_at, doubted_at) VALUES (1, @checkedAt, @doubtedAt)',
  )
  return {
    replace: database.transaction((next: (state: ClockState | undefined) => ClockState) => {
      const row = find.get()
      put.run(next(row && { checkedAt: row.checked_at, doubtedAt: row.doubted_at }))
    }).immediate,
  }
}
