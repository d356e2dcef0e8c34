import { toBounds } from '../../analytics/counters/label-sets.ts'
import { type LatestRow, type SeenRow, SeenRows, visitorsAtATime } from '../../analytics/counters/seen-rows.ts'
import type { Day } from '../../analytics/day.ts'
import type { Database } from '../database.ts'
import { deleteFromRow } from './delete-from-row.ts'
import { moveSeenDays } from './move-seen-days.ts'

/** One statement per row would take 25% longer. */
const rowsAtATime = 64
const rowsPerDeletion = 1000
/** Stands for a missing visitor. No visitor has this length. */
const noVisitor = new Uint8Array(0)

/** Opens the table that stores which visitor saw which pages on which day. */
export function openSeenDays(database: Database) {
  const store = openSeenRows(database)
  const days = new SeenRows(store)
  const findKept = database.prepare<[], Day>('SELECT from_day FROM kept').pluck()
  const keep = database.prepare<{ fromDay: Day }>(
    `INSERT INTO kept (id, from_day) VALUES (1, @fromDay)
     ON CONFLICT DO UPDATE SET from_day = max(from_day, excluded.from_day)`,
  )
  const hasOldTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'seen'")

  return {
    days,
    /**
     * Drops what a rolled back transaction left, and moves the rows of the old table. Called at the start of each transaction
     * that reads or writes the days.
     */
    prepare(): void {
      days.discard()
      store.discard()
      if (!hasOldTable.get()) return
      moveSeenDays(database, store.put)
      store.flush()
    },
    /** Writes the pending rows. Called at the end of each transaction. */
    flush(): void {
      days.flush()
      store.flush()
    },
    /** Returns the first day that was not pruned. */
    keptFrom: () => findKept.get() ?? 0,
    keep: (fromDay: Day) => void keep.run({ fromDay }),
    /** Lists the rows of the visitors whose first 48 bits are given that begin before a day. */
    listOf: store.listOf,
    /** Deletes days of all visitors. Returns the number of deleted days. */
    delete: store.deleteDays,
  }
}

function openSeenRows(database: Database) {
  const { listBefore, listBetween, listLatest, putOne, putMany, deleteOne, listAfter } = prepareStatements(database)
  let waiting: unknown[] = []

  function flush(): void {
    for (let i = 0; i < waiting.length; i += 3) putOne.run(waiting.slice(i, i + 3))
    waiting = []
  }

  const store = {
    listBefore: (visitor: Uint8Array, before: Day, limit: number) => listBefore.all(visitor, before, limit),
    listLatest(visitors: readonly Uint8Array[]): (LatestRow | undefined)[] {
      const found = visitors.map((): LatestRow | undefined => undefined)
      const wanted = [...visitors, ...Array<Uint8Array>(visitorsAtATime - visitors.length).fill(noVisitor)]
      for (const [i, fromDay, days, firstDay] of listLatest.all(wanted)) {
        found[i] = { fromDay, days, isOnly: fromDay === firstDay }
      }
      return found
    },
    put(visitor: Uint8Array, fromDay: Day, days: Uint8Array): void {
      if (waiting.push(visitor, fromDay, days) < rowsAtATime * 3) return
      const rows = waiting
      waiting = []
      putMany.run(rows)
    },
    delete(visitor: Uint8Array, fromDay: Day): void {
      flush()
      deleteOne.run(visitor, fromDay)
    },
    listOf: (prefix: number, before: Day) => listBetween.all(...toBounds(prefix), before),
    flush,
    discard(): void {
      waiting = []
    },
    deleteDays(isDeleted: (day: Day) => boolean): number {
      let deleted = 0
      let after: { visitor: Uint8Array; fromDay: Day } = { visitor: Buffer.alloc(0), fromDay: -1 }
      for (;;) {
        // A statement that reads the table cannot be open while another changes it.
        const rows = listAfter.all(after.visitor, after.fromDay, rowsPerDeletion)
        for (const { visitor, ...row } of rows) deleted += deleteFromRow(store, visitor, row, isDeleted)
        flush()
        const last = rows.at(-1)
        if (!last) return deleted
        after = last
      }
    },
  }
  return store
}

function prepareStatements(database: Database) {
  // Positional parameters, unlike elsewhere, because each statement runs millions of times in an import.
  // The `+` before a parameter tells SQLite not to plan by the parameter's value. Without `+`, SQLite prepares the
  // statement again for each visitor (measured: 5.4 us instead of 1.3).
  const listBefore = database.prepare<[Uint8Array, Day, number], SeenRow>(
    `SELECT from_day AS fromDay, days FROM seen_rows
     WHERE visitor = +? AND from_day < +? ORDER BY from_day DESC LIMIT +?`,
  )
  const listBetween = database.prepare<[Uint8Array, Uint8Array, Day], SeenRow>(
    `SELECT from_day AS fromDay, days FROM seen_rows
     WHERE visitor BETWEEN +? AND +? AND from_day < +?`,
  )
  const listLatest = database
    .prepare<unknown[], [index: number, fromDay: Day, days: Buffer, firstDay: Day]>(
      `WITH wanted (i, visitor) AS (VALUES ${Array.from({ length: visitorsAtATime }, (_, i) => `(${i}, ?)`).join(', ')})
       SELECT i, from_day, days, (SELECT min(from_day) FROM seen_rows WHERE visitor = wanted.visitor)
       FROM wanted CROSS JOIN seen_rows ON seen_rows.visitor = wanted.visitor
         AND from_day = (SELECT max(from_day) FROM seen_rows WHERE visitor = wanted.visitor)`,
    )
    .raw()
  const put = (rows: number) =>
    database.prepare<unknown[]>(
      `INSERT INTO seen_rows (visitor, from_day, days) VALUES ${Array(rows).fill('(?, ?, ?)').join(', ')}
       ON CONFLICT DO UPDATE SET days = excluded.days`,
    )
  const deleteOne = database.prepare<[Uint8Array, Day]>('DELETE FROM seen_rows WHERE visitor = ? AND from_day = ?')
  const listAfter = database.prepare<[Uint8Array, Day, number], SeenRow & { visitor: Buffer }>(
    `SELECT visitor, from_day AS fromDay, days FROM seen_rows
     WHERE (visitor, from_day) > (?, ?) ORDER BY visitor, from_day LIMIT ?`,
  )
  return { listBefore, listBetween, listLatest, putOne: put(1), putMany: put(rowsAtATime), deleteOne, listAfter }
}
