import { isIP } from 'node:net'
import { bareAddress } from './address.ts'
import { findProtocol, isDash, readRequest, unescapeField } from './combined.ts'
import { skipFraction } from './iso-time.ts'
import { LocalTime } from './local-time.ts'
import { LogDateReader, readDigits } from './log-date.ts'
import {
  emptyLogLine,
  type LineParser,
  type LogFormat,
  LogFormatError,
  type LogLine,
  type Parsed,
  type ParserOptions,
} from './log-format.ts'

/**
 * HAProxy's HTTP log. Its captured headers have no names, so that they must be given: see `createHaproxyFormat`. Without them,
 * a log is recognized and refused.
 * https://docs.haproxy.org/3.2/configuration.html#8.2.3
 */
export const haproxy: LogFormat = {
  name: 'haproxy',
  hasHost: true,
  open() {
    throw new LogFormatError(
      'haproxy needs the names of the captured request headers in the order of the configuration, because the log has no names. ' +
        "Example: 'haproxy{Host|User-Agent|Referer}'. User-Agent must be captured.",
      'format',
    )
  },
  recognizes: (bytes, start, end) =>
    new HaproxyParser(['User-Agent'], undefined, { isAny: true }).parse(bytes, start, end, emptyLogLine()) ===
    'request',
}

/** Matches the setting with the captured headers. */
const pattern = /^haproxy\s*\{([^{}]*)\}$/i

/** Returns whether the setting names the captured headers of HAProxy. */
export function isHaproxyFormat(text: string): boolean {
  return pattern.test(text)
}

/**
 * Creates the format from the names of the captured request headers, such as `haproxy{Host|User-Agent|Referer}`. A client field
 * is one of these names.
 *
 * @param timeZone of the dates, see `isTimeZone`; missing = UTC
 * @throws {LogFormatError} when the list lacks the user agent.
 */
export function createHaproxyFormat(text: string, timeZone?: string): LogFormat {
  const names = (pattern.exec(text)?.[1] ?? '').split('|').map(name => name.trim().toLowerCase())
  if (!names.includes('user-agent')) {
    throw new LogFormatError("lacks User-Agent: capture it and name it, as in 'haproxy{Host|User-Agent}'.", 'format')
  }
  return {
    name: 'haproxy',
    hasHost: names.includes('host'),
    open: ({ clientField }: ParserOptions) => {
      const field = clientField?.toLowerCase()
      if (field !== undefined && !names.includes(field)) {
        throw new LogFormatError(
          `${clientField} is not a captured header. They are ${names.join(', ')}.`,
          'client-field',
        )
      }
      return new HaproxyParser(names, field, { isAny: false, timeZone })
    },
  }
}

const space = 0x20
const open = 0x7b
const close = 0x7d
const pipe = 0x7c
const maxCaptures = 32

/**
 * Parses `address:port [20/Nov/2026:10:11:12.345] frontend backend/server 1/2/3/4/5 200 512 - - ---- 1/1/1/1/0 0/0 {request headers}
 * {response headers} "GET /a HTTP/1.1"`. The date is in the time zone of the server, which the log does not name.
 */
class HaproxyParser implements LineParser {
  readonly #dates = new HaproxyDateReader()
  readonly #local: LocalTime | undefined
  readonly #count: number
  readonly #userAgent: number
  readonly #referrer: number
  readonly #accept: number
  readonly #host: number
  readonly #client: number
  readonly #forwarded: number
  /** Accepts any number of captured headers. */
  readonly #isAny: boolean
  readonly #starts = new Uint32Array(maxCaptures)
  readonly #ends = new Uint32Array(maxCaptures)

  constructor(
    names: readonly string[],
    clientField: string | undefined,
    { isAny, timeZone }: { isAny: boolean; timeZone?: string | undefined },
  ) {
    this.#local = timeZone === undefined ? undefined : new LocalTime(timeZone)
    this.#count = names.length
    this.#isAny = isAny
    this.#userAgent = names.indexOf('user-agent')
    this.#referrer = names.includes('referer') ? names.indexOf('referer') : names.indexOf('referrer')
    this.#accept = names.indexOf('accept')
    this.#host = names.indexOf('host')
    this.#client = clientField === undefined ? -1 : names.indexOf(clientField)
    this.#forwarded = names.indexOf('x-forwarded-for')
  }

  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    let at = bytes.indexOf(space, start)
    if (at === -1 || at >= end || bytes[at + 1] !== 0x5b) return 'malformed'
    const peer = bytes.toString('latin1', start, at)
    const colon = peer.lastIndexOf(':')
    const address = bareAddress(peer.startsWith('[') ? peer : peer.slice(0, colon))
    if (colon < 1 || isIP(address) === 0) return 'malformed'
    const atMs = this.#dates.read(bytes, at + 2)
    line.atMs = this.#local?.toUtc(atMs) ?? atMs
    at = this.#dates.end
    if (bytes[at] !== 0x5d || bytes[at + 1] !== space) return 'malformed'
    // Frontend, backend and server, timers.
    at = skipWords(bytes, at + 2, end, 3)
    if (at === -1) return 'malformed'
    line.status = readDigits(bytes, at, 3)
    // HAProxy writes -1 when the client closed the connection before the answer.
    if (Number.isNaN(line.status)) {
      if (bytes[at] !== 0x2d || bytes[at + 1] !== 0x31) return 'malformed'
      line.status = 0
    }
    // Status, bytes, two cookies, state, connections, queues.
    at = skipWords(bytes, at, end, 7)
    if (at === -1) return 'malformed'
    const captures = bytes[at] === open ? this.#readCaptures(bytes, at, end) : 0
    if (!this.#isAny && captures !== this.#count) return 'malformed'
    const requestStart = findRequest(bytes, at, end)
    if (requestStart === -1 || bytes[end - 1] !== 0x22 || requestStart >= end) return 'malformed'
    line.bytes = bytes
    line.addressStart = peer.startsWith('[') ? start + 1 : start
    line.addressEnd = line.addressStart + address.length
    this.#setFields(line)
    readRequest(bytes, requestStart, end - 1, line)
    if (line.isGet) endTarget(bytes, end - 1, line)
    return 'request'
  }

  findForwarded({ bytes }: LogLine): string {
    return this.decodeHeader(bytes.toString('latin1', this.#startOf(this.#forwarded), this.#endOf(this.#forwarded)))
  }

  decodeHeader = decodeEscapes
  decodeTarget = decodeEscapes

  #setFields(line: LogLine): void {
    line.userAgentStart = this.#startOf(this.#userAgent)
    line.userAgentEnd = this.#endOf(this.#userAgent)
    line.referrerStart = this.#startOf(this.#referrer)
    line.referrerEnd = this.#endOf(this.#referrer)
    line.acceptStart = this.#startOf(this.#accept)
    line.acceptEnd = this.#endOf(this.#accept)
    line.hostStart = this.#startOf(this.#host)
    line.hostEnd = this.#endOf(this.#host)
    line.clientStart = this.#startOf(this.#client)
    line.clientEnd = this.#endOf(this.#client)
  }

  #startOf(capture: number): number {
    return capture === -1 ? 0 : (this.#starts[capture] as number)
  }

  #endOf(capture: number): number {
    return capture === -1 ? 0 : (this.#ends[capture] as number)
  }

  /** Stores the positions of the captured headers in `{a|b}`, and returns their number. HAProxy escapes braces and pipes. */
  #readCaptures(bytes: Buffer, at: number, end: number): number {
    let count = 0
    let from = at + 1
    for (let i = at + 1; i < end && count < maxCaptures; i++) {
      const byte = bytes[i]
      if (byte !== pipe && byte !== close) continue
      this.#starts[count] = from
      this.#ends[count] = isDash(bytes, from, i) ? from : i
      count++
      from = i + 1
      if (byte === close) return count
    }
    return 0
  }
}

/** Returns the start of the word after `count` words; -1 when the line ends before it. */
function skipWords(bytes: Buffer, from: number, end: number, count: number): number {
  let at = from
  for (let words = 0; words < count; words++) {
    while (at < end && bytes[at] !== space) at++
    at++
    if (at >= end) return -1
  }
  return at
}

/** Returns the start of the request after its quote; -1 when there is none. Captured headers have no ` "`. */
function findRequest(bytes: Buffer, from: number, end: number): number {
  for (let i = from; i < end; i++) {
    if (bytes[i] === 0x22 && (i === from || bytes[i - 1] === space)) return i + 1
  }
  return -1
}

/** Returns the end of the target before its query. A number sign begins an escape, not a fragment. */
function endTarget(bytes: Buffer, end: number, line: LogLine): void {
  let query = line.targetStart
  while (query < end && bytes[query] !== 0x3f) query++
  line.targetEnd = query < end ? query : findProtocol(bytes, line.targetStart, end)
  line.queryStart = query < end ? query + 1 : 0
  line.queryEnd = query < end ? end : 0
}

/** Decodes `#22`: HAProxy escapes special characters with a number sign. */
function decodeEscapes(text: string): string {
  const decoded = text.replaceAll(/#([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return unescapeField(decoded)
}

const dateBytes = '20/Nov/2026:10:11:12'.length

/** Reads dates such as `20/Nov/2026:10:11:12.345`, which have no time zone, as if they were UTC. */
class HaproxyDateReader {
  readonly #dates = new LogDateReader()
  readonly #text = Buffer.from('20/Nov/2026:10:11:12 +0000')
  /** End of the last date. */
  end = 0

  /** Returns the date at `from` in milliseconds since 1970, without its fraction; NaN when it is not a valid date. */
  read(bytes: Buffer, from: number): number {
    bytes.copy(this.#text, 0, from, from + dateBytes)
    this.end = skipFraction(bytes, from + dateBytes, bytes.length)
    return this.#dates.read(this.#text, 0)
  }
}
