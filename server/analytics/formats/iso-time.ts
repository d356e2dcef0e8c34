import { dayMs } from '../../base/day-ms.ts'
import { toUtcMs } from '../day.ts'
import { readDigits } from './log-date.ts'

const minuteMs = 60_000

/**
 * Reads times such as `2026-11-20T10:11:12.123Z`, with `T` or a space, any fraction, and an offset in one of its usual forms.
 * A time without an offset is UTC. Caches the last day because the next line mostly has the same one.
 */
export class IsoTimeReader {
  /** End of the last time. */
  end = 0
  #date = -1
  #dateMs = Number.NaN

  /** Returns the time at `from` in milliseconds since 1970, without its fraction; NaN when it is not a valid time. */
  read(bytes: Uint8Array, from: number, end: number): number {
    const separator = bytes[from + 10]
    if (bytes[from + 4] !== 0x2d || bytes[from + 7] !== 0x2d || (separator !== 0x54 && separator !== 0x20)) {
      return Number.NaN
    }
    const clockMs = readClock(bytes, from + 11)
    this.end = skipFraction(bytes, from + 19, end)
    return this.#readDate(bytes, from) + clockMs - this.#readOffset(bytes, this.end, end)
  }

  #readDate(bytes: Uint8Array, from: number): number {
    const year = readDigits(bytes, from, 4)
    const month = readDigits(bytes, from + 5, 2)
    const day = readDigits(bytes, from + 8, 2)
    const date = (year * 100 + month) * 100 + day
    if (date !== this.#date) {
      this.#date = date
      this.#dateMs = Number.isNaN(date) ? Number.NaN : (toUtcMs(year, month, day) ?? Number.NaN)
    }
    return this.#dateMs
  }

  /** Reads `Z`, `+01:00`, `+0100` or `+01` as milliseconds east of UTC, and moves `end` behind it. */
  #readOffset(bytes: Uint8Array, from: number, end: number): number {
    const byte = from < end ? bytes[from] : undefined
    if (byte === 0x5a) {
      this.end = from + 1
      return 0
    }
    if (byte !== 0x2b && byte !== 0x2d) return 0
    const hours = readDigits(bytes, from + 1, 2)
    const minutesFrom = bytes[from + 3] === 0x3a ? from + 4 : from + 3
    const minutes = minutesFrom + 2 <= end ? readDigits(bytes, minutesFrom, 2) : Number.NaN
    this.end = Number.isNaN(minutes) ? from + 3 : minutesFrom + 2
    const isOffset = hours <= 23 && (Number.isNaN(minutes) || minutes <= 59)
    const offsetMs = (hours * 60 + (Number.isNaN(minutes) ? 0 : minutes)) * minuteMs
    return isOffset ? (byte === 0x2d ? -offsetMs : offsetMs) : Number.NaN
  }
}

/** Reads `10:11:12` as milliseconds; NaN when it is not a valid time of the day. */
export function readClock(bytes: Uint8Array, from: number): number {
  if (bytes[from + 2] !== 0x3a || bytes[from + 5] !== 0x3a) return Number.NaN
  const hour = readDigits(bytes, from, 2)
  const minute = readDigits(bytes, from + 3, 2)
  const second = readDigits(bytes, from + 6, 2)
  const ms = ((hour * 60 + minute) * 60 + second) * 1000
  return hour <= 23 && minute <= 59 && second <= 59 && ms < dayMs ? ms : Number.NaN
}

/** Returns the end of a fraction such as `.123` or `,123` at `from`, or `from` when there is none. */
export function skipFraction(bytes: Uint8Array, from: number, end: number): number {
  if (bytes[from] !== 0x2e && bytes[from] !== 0x2c) return from
  let at = from + 1
  while (at < end && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at++
  return at
}
