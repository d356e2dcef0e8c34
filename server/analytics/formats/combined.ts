import { toUtcMs } from '../day.ts'

/**
 * A line of a combined access log (Apache's `combined`, nginx's default), as offsets into the bytes it was read from: most
 * lines are filtered by a byte or two, and a string is cut only for what goes on.
 */
export interface LogLine {
  addressStart: number
  addressEnd: number
  /** Milliseconds since 1970; NaN when the date is none of the calendar. */
  atMs: number
  requestStart: number
  requestEnd: number
  status: number
  userAgentStart: number
  userAgentEnd: number
}

export function emptyLogLine(): LogLine {
  return {
    addressStart: 0,
    addressEnd: 0,
    atMs: 0,
    requestStart: 0,
    requestEnd: 0,
    status: 0,
    userAgentStart: 0,
    userAgentEnd: 0,
  }
}

const space = 0x20
const quote = 0x22
const backslash = 0x5c
const dateLength = '20/Nov/2026:10:11:12 +0000'.length
const longestAddress = 255

/**
 * Reads the line in `bytes` from `start` up to `end` into `line`; false when it is not in combined format:
 * `address identity user [20/Nov/2026:10:11:12 +0000] "request" status size "referrer" "user agent"`, then anything.
 */
export function parseLogLine(bytes: Uint8Array, start: number, end: number, line: LogLine): boolean {
  const addressEnd = findAddressEnd(bytes, start, end)
  if (addressEnd === -1) return false
  const dateStart = findDate(bytes, addressEnd, end)
  if (dateStart === -1) return false

  const requestStart = dateStart + dateLength + 3
  const requestEnd = findQuote(bytes, requestStart, end)
  if (requestEnd === -1 || bytes[requestEnd + 1] !== space) return false

  const status = readDigits(bytes, requestEnd + 2, 3)
  const sizeStart = requestEnd + 6
  if (Number.isNaN(status) || bytes[sizeStart - 1] !== space) return false
  const sizeEnd = findSizeEnd(bytes, sizeStart, end)
  if (sizeEnd === -1 || bytes[sizeEnd + 1] !== quote) return false

  const referrerEnd = findQuote(bytes, sizeEnd + 2, end)
  if (referrerEnd === -1 || bytes[referrerEnd + 1] !== space || bytes[referrerEnd + 2] !== quote) return false
  const userAgentEnd = findQuote(bytes, referrerEnd + 3, end)
  if (userAgentEnd === -1) return false

  line.addressStart = start
  line.addressEnd = addressEnd
  line.atMs = readDate(bytes, dateStart)
  line.requestStart = requestStart
  line.requestEnd = requestEnd
  line.status = status
  line.userAgentStart = referrerEnd + 3
  line.userAgentEnd = userAgentEnd
  return true
}

/** Where the printable word at `start` ends in a space; -1 when there is none. */
function findAddressEnd(bytes: Uint8Array, start: number, end: number): number {
  const last = Math.min(end, start + longestAddress + 1)
  for (let i = start; i < last; i++) {
    const byte = bytes[i] as number
    if (byte === space) return i > start ? i : -1
    if (byte < space || byte > 0x7e) return -1
  }
  return -1
}

/**
 * Where the date begins, after its bracket; -1 when there is none. A user name may hold spaces and brackets, but no bare
 * quote, so `] "` at the right distance is the real one: nobody can log in as a visit.
 */
function findDate(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from; i + dateLength + 3 < end; i++) {
    if (bytes[i] === quote) return -1
    const isDate =
      bytes[i] === 0x5b &&
      bytes[i - 1] === space &&
      bytes[i + dateLength + 1] === 0x5d &&
      bytes[i + dateLength + 2] === space &&
      bytes[i + dateLength + 3] === quote
    if (isDate) return i + 1
  }
  return -1
}

/** Where the quoted field that begins at `from` ends; -1 when it does not. */
function findQuote(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from; i < end; i++) {
    const byte = bytes[i]
    if (byte === quote) return i
    if (byte === backslash) i++
  }
  return -1
}

/** Where the number or `-` at `from` ends in a space; -1 when it is neither. */
function findSizeEnd(bytes: Uint8Array, from: number, end: number): number {
  if (bytes[from] === 0x2d) return bytes[from + 1] === space ? from + 1 : -1
  for (let i = from; i < end; i++) {
    const byte = bytes[i] as number
    if (byte === space) return i > from ? i : -1
    if (byte < 0x30 || byte > 0x39) return -1
  }
  return -1
}

const months = new Map(
  'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'
    .split(' ')
    .map((name, i) => [toNumber(Buffer.from(name), 0), i + 1]),
)

/** `20/Nov/2026:10:11:12 +0000` at `from` */
function readDate(bytes: Uint8Array, from: number): number {
  const offsetMinutes = readDigits(bytes, from + 22, 2) * 60 + readDigits(bytes, from + 24, 2)
  const sign = bytes[from + 21] === 0x2b ? 1 : bytes[from + 21] === 0x2d ? -1 : Number.NaN
  const utcMs = toUtcMs(
    readDigits(bytes, from + 7, 4),
    months.get(toNumber(bytes, from + 3)),
    readDigits(bytes, from, 2),
    readDigits(bytes, from + 12, 2),
    readDigits(bytes, from + 15, 2),
    readDigits(bytes, from + 18, 2),
  )
  return (utcMs ?? Number.NaN) - sign * offsetMinutes * 60_000
}

/** Three bytes as one number, to look a month up without cutting a string. */
function toNumber(bytes: Uint8Array, from: number): number {
  return ((bytes[from] as number) << 16) | ((bytes[from + 1] as number) << 8) | (bytes[from + 2] as number)
}

/** The decimal number of `count` digits at `from`; NaN when there are fewer. */
function readDigits(bytes: Uint8Array, from: number, count: number): number {
  let value = 0
  for (let i = from; i < from + count; i++) {
    const digit = (bytes[i] ?? 0) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

const named: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }

/** Undoes the escapes of a quoted field: `\"`, `\\`, `\xNN` (nginx and Apache), `\n` and the like (Apache). */
export function unescapeField(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|(.))/gs, (_, hex: string | undefined, char: string) =>
    hex === undefined ? (named[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
