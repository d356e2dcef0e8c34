import type { ClockState, ClockStates } from '../base/clock-check.ts'
import { atomic, get, onlyPostgres, run, sql, type Works } from './noun.ts'

const find = sql<object, { checked_at: number; doubted_at: number | null }>(
  'SELECT checked_at, doubted_at FROM clock_check WHERE id = 1',
)
// There may be no row yet that could be locked.
const lock = onlyPostgres<object>('LOCK TABLE clock_check IN EXCLUSIVE MODE')
const put = sql<ClockState>(
  `INSERT INTO clock_check (id, checked_at, doubted_at) VALUES (1, @checkedAt, @doubtedAt)
   ON CONFLICT (id) DO UPDATE SET checked_at = @checkedAt, doubted_at = @doubtedAt`,
)

export const clockStates: Works<ClockStates> = {
  replace: atomic(function* (...[next]: Parameters<ClockStates['replace']>) {
    yield* run(lock, {})
    const row = yield* get(find, {})
    yield* run(put, next(row && { checkedAt: row.checked_at, doubtedAt: row.doubted_at }))
  }),
}
