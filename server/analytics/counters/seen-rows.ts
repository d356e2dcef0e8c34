import type { Day } from '../day.ts'
import { readSeenRow, type SeenDay, type SeenRow, SeenRowWriter } from './seen-row.ts'
import type { SeenDays } from './visitor-history.ts'

/** The stored rows. Each day of a visitor is in one row, and the rows of a visitor do not overlap. */
export interface SeenRowStore {
  /** Lists at most `limit` rows of the visitor that begin before a day, the latest ones, in descending order. */
  listBefore(visitor: Uint8Array, before: Day, limit: number): readonly SeenRow[]
  /** Stores a row, and replaces the row of the visitor with the same first day. */
  put(visitor: Uint8Array, fromDay: Day, days: Uint8Array): void
  delete(visitor: Uint8Array, fromDay: Day): void
}

/** Most visitors have one row. A limit of two shows with the first query that there are no more. */
const firstRows = 2
const moreRows = 16
const noDays: readonly SeenDay[] = []

interface LoadedRow extends SeenRow {
  lastDay: Day
}

/** Reads and writes the days of one visitor after the other. Call `flush` after the last visitor. */
export class SeenRows implements SeenDays {
  readonly #store: SeenRowStore
  readonly #writer: SeenRowWriter
  #visitor: Uint8Array | undefined
  /** The rows that were read, latest first. */
  #rows: LoadedRow[] = []
  #areAllRead = false
  /** The days to write, in ascending order. */
  #changes: SeenDay[] = []

  constructor(store: SeenRowStore) {
    this.#store = store
    this.#writer = new SeenRowWriter((fromDay, days) => store.put(this.#visitor as Uint8Array, fromDay, days))
  }

  open(visitor: Uint8Array): void {
    this.flush()
    this.#visitor = visitor
  }

  listEarlier(): readonly SeenDay[] {
    if (this.#areAllRead) return noDays
    const first = this.#rows.at(-1)
    const limit = first ? moreRows : firstRows
    const rows = this.#store.listBefore(this.#visitor as Uint8Array, first?.fromDay ?? latestDay, limit)
    this.#areAllRead = rows.length < limit
    const days: SeenDay[] = []
    for (let i = rows.length - 1; i >= 0; i--) readSeenRow(rows[i] as SeenRow, days)
    let last = days.length - 1
    for (const { fromDay, days: bytes } of rows) {
      this.#rows.push({ fromDay, days: bytes, lastDay: (days[last] as SeenDay).day })
      while (last >= 0 && (days[last] as SeenDay).day >= fromDay) last--
    }
    return days.reverse()
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
