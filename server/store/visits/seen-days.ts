import type { SeenDay, SeenDays } from '../../analytics/counters/visitor-history.ts'
import type { Day } from '../../analytics/day.ts'
import type { Database } from '../database.ts'

/** One statement per row would take 25% longer. */
const rowsAtATime = 64

/** Opens the table that stores which visitor saw which pages on which day. */
export function openSeenDays(database: Database) {
  // Positional parameters, unlike elsewhere, because each statement runs millions of times in an import.
  // The `+` before a parameter tells SQLite not to plan by the parameter's value. Without `+`, SQLite prepares the
  // statement again for each visitor (measured: 5.4 us instead of 1.3).
  const listBefore = database.prepare<[Uint8Array, Day, number], SeenDay>(
    'SELECT day, pages FROM seen WHERE visitor = +? AND day < +? ORDER BY day DESC LIMIT +?',
  )
  const insertOne = database.prepare<unknown[]>('INSERT INTO seen (visitor, day, pages) VALUES (?, ?, ?)')
  const insertMany = database.prepare<unknown[]>(
    `INSERT INTO seen (visitor, day, pages) VALUES ${Array(rowsAtATime).fill('(?, ?, ?)').join(', ')}`,
  )
  const update = database.prepare<[Uint8Array, Uint8Array, Day]>(
    'UPDATE seen SET pages = ? WHERE visitor = ? AND day = ?',
  )
  const prune = database.prepare<{ before: Day }>('DELETE FROM seen WHERE day < @before')
  const findKept = database.prepare<[], Day>('SELECT from_day FROM kept').pluck()
  const keep = database.prepare<{ fromDay: Day }>(
    `INSERT INTO kept (id, from_day) VALUES (1, @fromDay)
     ON CONFLICT DO UPDATE SET from_day = max(from_day, excluded.from_day)`,
  )
  let waiting: unknown[] = []
  const days: SeenDays = {
    listBefore: (visitor, before, limit) => listBefore.all(visitor, before, limit),
    insert(visitor, day, pages) {
      if (waiting.push(visitor, day, pages) < rowsAtATime * 3) return
      const rows = waiting
      waiting = []
      insertMany.run(rows)
    },
    update: (visitor, day, pages) => void update.run(pages, visitor, day),
  }
  return {
    days,
    /** Writes the pending rows. Called at the end of each transaction. */
    flush(): void {
      for (let i = 0; i < waiting.length; i += 3) insertOne.run(waiting.slice(i, i + 3))
      waiting = []
    },
    /** Drops the pending rows. Called after the transaction was rolled back. */
    discard(): void {
      waiting = []
    },
    /** Returns the first day that was not pruned. */
    keptFrom: () => findKept.get() ?? 0,
    keep: (fromDay: Day) => void keep.run({ fromDay }),
    /** Returns the number of deleted rows. */
    prune: (before: Day) => prune.run({ before }).changes,
  }
}
