import type { Day } from '../day.ts'
import { readSeenRow, type SeenDay, type SeenRow, SeenRowWriter } from './seen-row.ts'
import type { SeenDays } from './visitor-history.ts'

/** The last row of a visitor. */
export interface LatestRow extends SeenRow {
  /** Whether the visitor has no other row. */
  isOnly: boolean
}

/** The stored rows. Each day of a visitor is in one row, and the rows of a visitor do not overlap. */
export interface SeenRowStore {
  /**
   * Lists at most `limit` rows of the visitor that begin before a day, the latest ones, in descending order.
   *
   * @throws {RowsMissing} if not all of them were read before.
   */
  listBefore(visitor: Uint8Array, before: Day, limit: number): readonly SeenRow[]
  /** Finds the last row of each visitor; undefined = the visitor has none. */
  listLatest(visitors: readonly Uint8Array[]): readonly (LatestRow | undefined)[]
  /** Stores a row, and replaces the row of the visitor with the same first day. */
  put(visitor: Uint8Array, fromDay: Day, days: Uint8Array): void
  delete(visitor: Uint8Array, fromDay: Day): void
}

/** Thrown by a store that reads rows in advance. Nothing was counted of the visitor: drop its days, read more, and add it again. */
export class RowsMissing extends Error {}

/** Number of visitors to open together. A query for each visitor takes up to five times as long. */
export const visitorsAtATime = 64
const rowsAtATime = 16
const noDays: readonly SeenDay[] = []

interface LoadedRow extends SeenRow {
  lastDay: Day
}

/** Reads and writes the days of one visitor after the other; `prefetch` them first. Call `flush` after the last visitor. */
export class SeenRows implements SeenDays {
  readonly #store: SeenRowStore
  readonly #writer: SeenRowWriter
  #visitor: Uint8Array | undefined
  /** The last rows of the opened visitors, from the current one on. */
  #latest: readonly (LatestRow | undefined)[] = []
  #opened = 0
  /** The rows that were read, latest first. */
  #rows: LoadedRow[] = []
  #areAllRead = false
  /** The days to write, in ascending order. */
  #changes: SeenDay[] = []

  constructor(store: SeenRowStore) {
    this.#store = store
    this.#writer = new SeenRowWriter((fromDay, days) => store.put(this.#visitor as Uint8Array, fromDay, days))
  }

  /** Reads the last rows of the next visitors, at most `visitorsAtATime`. Then `open` each of them, in this order. */
  prefetch(visitors: readonly Uint8Array[]): void {
    this.flush()
    this.#latest = this.#store.listLatest(visitors)
    this.#opened = 0
  }

  open(visitor: Uint8Array): void {
    this.flush()
    this.#visitor = visitor
    this.#opened++
  }

  listEarlier(): readonly SeenDay[] {
    if (this.#areAllRead) return noDays
    const rows = this.#listRows()
    const days: SeenDay[] = []
    for (let i = rows.length - 1; i >= 0; i--) readSeenRow(rows[i] as SeenRow, days)
    let last = days.length - 1
    for (const { fromDay, days: bytes } of rows) {
      this.#rows.push({ fromDay, days: bytes, lastDay: (days[last] as SeenDay).day })
      while (last >= 0 && (days[last] as SeenDay).day >= fromDay) last--
    }
    return days.reverse()
  }

  #listRows(): readonly SeenRow[] {
    const first = this.#rows.at(-1)
    if (!first) {
      const latest = this.#latest[this.#opened - 1]
      this.#areAllRead = latest === undefined || latest.isOnly
      return latest ? [latest] : []
    }
    const rows = this.#store.listBefore(this.#visitor as Uint8Array, first.fromDay, rowsAtATime)
    this.#areAllRead = rows.length < rowsAtATime
    return rows
  }

  put(day: Day, pages: Uint8Array): void {
    this.#changes.push({ day, bytes: pages, start: 0, end: pages.length })
  }

  /** Writes the days of the current visitor. */
  flush(): void {
    if (this.#changes.length > 0) this.#write()
    this.discard()
  }

  /** Drops the days of the current visitor. */
  discard(): void {
    this.#visitor = undefined
    this.#rows = []
    this.#changes = []
    this.#areAllRead = false
  }

  /**
   * Adds each change to the row that begins before it. All rows from the day of the first change on were read, and the row before
   * them, see `SeenDays`.
   */
  #write(): void {
    const changes = this.#changes
    const rows = this.#rows
    let row = rows.length - 1
    for (let at = 0; at < changes.length; ) {
      const first = changes[at] as SeenDay
      while (row > 0 && (rows[row - 1] as LoadedRow).fromDay <= first.day) row--
      const next = row > 0 ? (rows[row - 1] as LoadedRow).fromDay : latestDay
      let end = at + 1
      while (end < changes.length && (changes[end] as SeenDay).day < next) end++
      this.#writeRow(rows[row], changes.slice(at, end))
      at = end
    }
  }

  #writeRow(row: LoadedRow | undefined, changes: readonly SeenDay[]): void {
    const writer = this.#writer
    const first = changes[0] as SeenDay
    if (row && first.day > row.lastDay) {
      writer.continue(row, row.lastDay)
      for (const change of changes) writer.add(change)
    } else {
      const old: SeenDay[] = []
      if (row) readSeenRow(row, old)
      if (row && first.day < row.fromDay) this.#store.delete(this.#visitor as Uint8Array, row.fromDay)
      for (const day of mergeDays(old, changes)) writer.add(day)
    }
    writer.end()
  }
}

/** Merges days in ascending order; a change replaces the old day. */
function mergeDays(old: readonly SeenDay[], changes: readonly SeenDay[]): SeenDay[] {
  const changed = new Set(changes.map(({ day }) => day))
  return [...old.filter(({ day }) => !changed.has(day)), ...changes].sort((a, b) => a.day - b.day)
}

const latestDay = 2 ** 31 - 1
