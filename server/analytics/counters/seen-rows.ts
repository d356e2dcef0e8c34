import type { Day } from '../day.ts'

/**
 * Several days of one visitor, as stored: for each day in ascending order the distance to the day before (0 for the first), the
 * length of its pages, and its pages (see `encodeSeenPages`). The numbers are LEB128. A row per day would repeat the visitor for
 * each of them, and reading the 80 days of an assistant would take 80 objects.
 */
export interface SeenRow {
  /** The first day in `days`. */
  fromDay: Day
  days: Uint8Array
}

/** A day in a row. Its pages are in `bytes` from `start` up to `end`. */
export interface SeenDay {
  day: Day
  bytes: Uint8Array
  start: number
  end: number
}

/** The stored views of a visitor by day. */
export interface SeenDays {
  /** Begins to work on a visitor. */
  open(visitor: Uint8Array): void
  /** Lists the latest days that were not listed yet, in descending order; empty = there are no more. */
  listEarlier(): readonly SeenDay[]
  /** Stores the pages of a day. Call it in the order of days, after a day before the first of them was listed, if there is one. */
  put(day: Day, pages: Uint8Array): void
}

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
/** Later than every day. */
export const latestDay = 2 ** 31 - 1
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

/**
 * A row gets no further day that would make it longer, so that SQLite keeps it in one page: in an index with pages of 4 KB, a
 * row of more than 1,002 bytes needs a second page.
 */
export const maxRowBytes = 900

/** Appends the days of a row to `to`, in ascending order. */
export function readSeenRow({ fromDay, days: bytes }: SeenRow, to: SeenDay[]): void {
  let day = fromDay
  for (let at = 0; at < bytes.length; ) {
    let [value, scale, byte] = [0, 1, 0]
    do {
      byte = bytes[at++] as number
      value += (byte & 0x7f) * scale
      scale *= 0x80
    } while (byte >= 0x80)
    day += value
    value = 0
    scale = 1
    do {
      byte = bytes[at++] as number
      value += (byte & 0x7f) * scale
      scale *= 0x80
    } while (byte >= 0x80)
    to.push({ day, bytes, start: at, end: at + value })
    at += value
  }
}

/** Writes days into rows of limited length. */
export class SeenRowWriter {
  readonly #onRow: (fromDay: Day, days: Uint8Array) => void
  #bytes = new Uint8Array(4096)
  #length = 0
  #fromDay = 0
  #lastDay = 0
  /** Whether the row has a day that was not stored in it before. */
  #isChanged = false

  /** @param onRow receives each row that must be stored */
  constructor(onRow: (fromDay: Day, days: Uint8Array) => void) {
    this.#onRow = onRow
  }

  /** Begins with a stored row whose last day is `lastDay`. It is not passed to `onRow` unless a day is added to it. */
  continue({ fromDay, days }: SeenRow, lastDay: Day): void {
    this.#reserve(days.length)
    this.#bytes.set(days)
    this.#length = days.length
    this.#fromDay = fromDay
    this.#lastDay = lastDay
    this.#isChanged = false
  }

  /** Adds a day, later than the one before. */
  add({ day, bytes, start, end }: SeenDay): void {
    const pagesBytes = end - start
    if (this.#length > 0 && this.#length + pagesBytes + 4 > maxRowBytes) this.end()
    // A distance of days and a length have 5 bytes at most.
    this.#reserve(this.#length + pagesBytes + 10)
    if (this.#length === 0) this.#fromDay = this.#lastDay = day
    this.#push(day - this.#lastDay)
    this.#push(pagesBytes)
    if (start === 0 && end === bytes.length) this.#bytes.set(bytes, this.#length)
    else this.#bytes.set(bytes.subarray(start, end), this.#length)
    this.#length += pagesBytes
    this.#lastDay = day
    this.#isChanged = true
  }

  /** Passes on the last row. */
  end(): void {
    if (this.#isChanged) this.#onRow(this.#fromDay, this.#bytes.slice(0, this.#length))
    this.#length = 0
    this.#isChanged = false
  }

  #push(number: number): void {
    let value = number
    while (value >= 0x80) {
      this.#bytes[this.#length++] = (value % 0x80) | 0x80
      value = Math.floor(value / 0x80)
    }
    this.#bytes[this.#length++] = value
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return
    const larger = new Uint8Array(length * 2)
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}
