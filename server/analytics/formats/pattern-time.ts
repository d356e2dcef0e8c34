import { toUtcMs } from '../day.ts'
import { IsoTimeReader } from './iso-time.ts'
import { LogDateReader, logDateBytes, readDigits } from './log-date.ts'
import { LogFormatError } from './log-format.ts'

/** The time of a line, collected from one variable or several. */
export interface TimeParts {
  /** Milliseconds since 1970; NaN = the following parts have the time. */
  utcMs: number
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  offsetMs: number
}

/** Reads a time at `from` into `parts`, and returns its end; -1 when there is none. */
export type TimeReader = (bytes: Buffer, from: number, end: number, parts: TimeParts) => number

export function emptyTimeParts(): TimeParts {
  return { utcMs: Number.NaN, year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, offsetMs: 0 }
}

export function clearTimeParts(parts: TimeParts): void {
  parts.utcMs = Number.NaN
  parts.year = 1970
  parts.month = parts.day = 1
  parts.hour = parts.minute = parts.second = parts.offsetMs = 0
}

/** Returns the collected time in milliseconds since 1970; NaN when it is not valid. */
export function toMs({ utcMs, year, month, day, hour, minute, second, offsetMs }: TimeParts): number {
  if (!Number.isNaN(utcMs)) return utcMs
  return (toUtcMs(year, month, day, hour, minute, second) ?? Number.NaN) - offsetMs
}

/**
 * Creates a reader for a form of time: `clf`, `clf-brackets`, `iso`, `epoch` (seconds, milliseconds or microseconds), `fraction`
 * (digits that are skipped), or a format of strftime.
 *
 * @throws {LogFormatError} when the format has an unknown conversion.
 */
export function createTimeReader(form: string): TimeReader {
  switch (form) {
    case 'clf':
      return createClfReader()
    case 'clf-brackets': {
      const read = createClfReader()
      return (bytes, from, end, parts) => {
        const close = bytes[from] === 0x5b ? read(bytes, from + 1, end, parts) : -1
        return close !== -1 && bytes[close] === 0x5d ? close + 1 : -1
      }
    }
    case 'iso':
      return createIsoReader()
    case 'epoch':
      return readEpoch
    case 'fraction':
      return (bytes, from, end) => skipDigits(bytes, from, end, 6)
    default:
      return createStrftimeReader(form)
  }
}

function createClfReader(): TimeReader {
  const dates = new LogDateReader()
  return (bytes, from, end, parts) => {
    if (from + logDateBytes > end) return -1
    parts.utcMs = dates.read(bytes, from)
    return bytes[from + 2] === 0x2f && bytes[from + 20] === 0x20 ? from + logDateBytes : -1
  }
}

function createIsoReader(): TimeReader {
  const times = new IsoTimeReader()
  return (bytes, from, end, parts) => {
    parts.utcMs = times.read(bytes, from, end)
    return Number.isNaN(parts.utcMs) ? -1 : times.end
  }
}

function readEpoch(bytes: Buffer, from: number, end: number, parts: TimeParts): number {
  const wholeEnd = skipDigits(bytes, from, end, 17)
  if (wholeEnd - from < 9) return -1
  const value = readDigits(bytes, from, wholeEnd - from)
  // The units differ by a factor of 1,000, see `readTime`.
  parts.utcMs = value < 1e11 ? value * 1000 : value < 1e14 ? value : value / 1000
  return bytes[wholeEnd] === 0x2e ? skipDigits(bytes, wholeEnd + 1, end, 9) : wholeEnd
}

function skipDigits(bytes: Buffer, from: number, end: number, maxDigits: number): number {
  let at = from
  while (at < end && at < from + maxDigits && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at++
  return at > from ? at : -1
}

const monthNames = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const expansions: Record<string, string> = { '%T': '%H:%M:%S', '%R': '%H:%M', '%F': '%Y-%m-%d', '%D': '%m/%d/%y' }

/** The fields of conversions with a fixed number of digits. */
const numbers: Record<string, [field: keyof TimeParts, digits: number]> = {
  Y: ['year', 4],
  m: ['month', 2],
  d: ['day', 2],
  H: ['hour', 2],
  M: ['minute', 2],
  S: ['second', 2],
}

function createStrftimeReader(form: string): TimeReader {
  const expanded = form.replaceAll(/%[TRFD]/g, conversion => expansions[conversion] as string)
  const steps = [...expanded.matchAll(/%(.)|([^%]+)/gs)].map(([, letter, text]) =>
    letter === undefined || letter === '%' ? createTextStep(text ?? '%') : createStep(letter, form),
  )
  return (bytes, from, end, parts) => {
    let at = from
    for (const step of steps) {
      at = step(bytes, at, end, parts)
      if (at === -1 || at > end) return -1
    }
    return at
  }
}

function createTextStep(text: string): TimeReader {
  const wanted = Buffer.from(text, 'latin1')
  return (bytes, from) => {
    for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return -1
    return from + wanted.length
  }
}

function createStep(letter: string, form: string): TimeReader {
  const number = numbers[letter]
  if (number) {
    const [field, digits] = number
    return (bytes, from, _end, parts) => {
      parts[field] = readDigits(bytes, from, digits)
      return Number.isNaN(parts[field]) ? -1 : from + digits
    }
  }
  if (letter === 'y') {
    return (bytes, from, _end, parts) => {
      parts.year = 2000 + readDigits(bytes, from, 2)
      return Number.isNaN(parts.year) ? -1 : from + 2
    }
  }
  if (letter === 'e') return readSpacedDay
  if (letter === 'b' || letter === 'h') return readMonthName
  if (letter === 'z') return readOffset
  if (letter === 's') return readEpoch
  throw new LogFormatError(
    `has %${letter} in the time ${form}. Known are %Y %m %d %e %b %y %H %M %S %T %R %F %D %z %s.`,
    'format',
  )
}

function readSpacedDay(bytes: Buffer, from: number, _end: number, parts: TimeParts): number {
  const isSpaced = bytes[from] === 0x20
  parts.day = isSpaced ? readDigits(bytes, from + 1, 1) : readDigits(bytes, from, 2)
  return Number.isNaN(parts.day) ? -1 : from + 2
}

function readMonthName(bytes: Buffer, from: number, _end: number, parts: TimeParts): number {
  parts.month = monthNames.indexOf(bytes.toString('latin1', from, from + 3)) + 1
  return parts.month === 0 ? -1 : from + 3
}

/** Reads `+0100` or `+01:00`. */
function readOffset(bytes: Buffer, from: number, _end: number, parts: TimeParts): number {
  const sign = bytes[from] === 0x2b ? 1 : bytes[from] === 0x2d ? -1 : 0
  const minutesFrom = bytes[from + 3] === 0x3a ? from + 4 : from + 3
  const minutes = readDigits(bytes, from + 1, 2) * 60 + readDigits(bytes, minutesFrom, 2)
  if (sign === 0 || !(minutes < 24 * 60)) return -1
  parts.offsetMs = sign * minutes * 60_000
  return minutesFrom + 2
}
