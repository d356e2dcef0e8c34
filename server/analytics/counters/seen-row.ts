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
