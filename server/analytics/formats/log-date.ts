import { toUtcMs } from '../day.ts'

const minuteMs = 60_000

/** Length of `20/Nov/2026:10:11:12 +0000` in bytes. */
export const logDateBytes = 26

const months = new Map(
  'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'
    .split(' ')
    .map((name, i) => [toNumber(Buffer.from(name), 0), i + 1]),
)

/**
 * Reads CLF dates such as `20/Nov/2026:10:11:12 +0000`. Caches the last day and offset because the next line mostly has
 * the same ones.
 */
export class LogDateReader {
  readonly #day = new Uint8Array('20/Nov/2026'.length)
  readonly #offset = new Uint8Array('+0000'.length)
  /** Milliseconds since 1970 of `#day` in `#offset`. */
  #dayMs = Number.NaN

  /** Returns the date at `from` in milliseconds since 1970; NaN when it is not a valid date. */
  read(bytes: Uint8Array, from: number): number {
    if (!isAt(bytes, from, this.#day) || !isAt(bytes, from + 21, this.#offset)) this.#readDay(bytes, from)
    const hour = readDigits(bytes, from + 12, 2)
    const minute = readDigits(bytes, from + 15, 2)
    const second = readDigits(bytes, from + 18, 2)
    // The condition `hour > 23 || ...` would accept NaN.
    const isTime = hour <= 23 && minute <= 59 && second <= 59
    return isTime ? this.#dayMs + ((hour * 60 + minute) * 60 + second) * 1000 : Number.NaN
  }

  #readDay(bytes: Uint8Array, from: number): void {
    this.#day.set(bytes.subarray(from, from + 11))
    this.#offset.set(bytes.subarray(from + 21, from + 26))
    const year = readDigits(bytes, from + 7, 4)
    const month = months.get(toNumber(bytes, from + 3))
    this.#dayMs = (toUtcMs(year, month, readDigits(bytes, from, 2)) ?? Number.NaN) - readOffset(bytes, from + 21)
  }
}

/** Reads an offset such as `+0530`, east of UTC, as milliseconds; NaN when it is not valid. */
function readOffset(bytes: Uint8Array, from: number): number {
  const sign = bytes[from] === 0x2b ? 1 : bytes[from] === 0x2d ? -1 : Number.NaN
  const hours = readDigits(bytes, from + 1, 2)
  const minutes = readDigits(bytes, from + 3, 2)
  return hours <= 23 && minutes <= 59 ? sign * (hours * 60 + minutes) * minuteMs : Number.NaN
}

const timePattern =
  /^(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?: ?(Z|([+-])(\d{2}):?(\d{2})))?$/

/**
 * Reads a time of a JSON log as milliseconds since 1970; NaN when it has an unknown form. The known forms are RFC 3339
 * and similar forms (UTC without an offset), a CLF date, and a number or numeric string in seconds, milliseconds,
 * microseconds or nanoseconds since 1970. The unit is detected from the size of the number.
 */
export function readTime(time: unknown): number {
  if (typeof time === 'number') return readEpoch(time)
  if (typeof time !== 'string') return Number.NaN
  const match = timePattern.exec(time)
  if (!match) return /^\d+(\.\d+)?$/.test(time) ? readEpoch(Number(time)) : readLogDate(time)
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  const offset = match[8] === undefined ? 0 : readOffset(Buffer.from(`${match[8]}${match[9]}${match[10]}`), 0)
  return (toUtcMs(year, month, day, hour, minute, second) ?? Number.NaN) - offset
}

/**
 * Detects the unit from the size of the number. The units differ by a factor of 1,000, so a number that is a date between
 * 1973 and 5000 in one unit is outside that range in every other unit.
 */
function readEpoch(value: number): number {
  if (value < 1e11) return value * 1000
  if (value < 1e14) return value
  return value < 1e17 ? value / 1e3 : value / 1e6
}

function readLogDate(text: string): number {
  return text.length === logDateBytes ? new LogDateReader().read(Buffer.from(text, 'latin1'), 0) : Number.NaN
}

/** Reads the decimal number of `count` digits at `from`; NaN when there are fewer digits. */
export function readDigits(bytes: Uint8Array, from: number, count: number): number {
  let value = 0
  for (let i = from; i < from + count; i++) {
    const digit = (bytes[i] ?? 0) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

function isAt(bytes: Uint8Array, from: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return false
  return true
}

/** Packs three bytes into one number, to look up a month without creating a string. */
function toNumber(bytes: Uint8Array, from: number): number {
  return ((bytes[from] as number) << 16) | ((bytes[from + 1] as number) << 8) | (bytes[from + 2] as number)
}
