import { SeenRowWriter } from '../../analytics/counters/seen-rows.ts'
import type { Day } from '../../analytics/day.ts'
import type { Database } from '../database.ts'

interface Row {
  visitor: Buffer
  day: Day
  pages: Buffer
}

const rowsAtATime = 10_000

/**
 * Moves the days of all visitors from the table `seen`, which has a row per day, and drops it. Called in the transaction that
 * first writes visits with this version; queries do not read these tables, so they do not wait. A killed move is rolled back
 * and begins again.
 */
export function moveSeenDays(
  database: Database,
  put: (visitor: Uint8Array, fromDay: Day, days: Uint8Array) => void,
): void {
  const listAfter = database.prepare<[Uint8Array, Day, number], Row>(
    'SELECT visitor, day, pages FROM seen WHERE (visitor, day) > (?, ?) ORDER BY visitor, day LIMIT ?',
  )
  let last: Pick<Row, 'visitor' | 'day'> = { visitor: Buffer.alloc(0), day: -1 }
  const writer = new SeenRowWriter((fromDay, days) => put(last.visitor, fromDay, days))
  for (;;) {
    const rows = listAfter.all(last.visitor, last.day, rowsAtATime)
    for (const { visitor, day, pages } of rows) {
      if (!visitor.equals(last.visitor)) writer.end()
      last = { visitor, day }
      writer.add({ day, bytes: pages, start: 0, end: pages.length })
    }
    if (rows.length === 0) break
  }
  writer.end()
  database.exec('DROP TABLE seen')
}
