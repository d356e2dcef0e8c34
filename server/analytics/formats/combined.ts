import { isIP } from 'node:net'
import { bareAddress } from './address.ts'
import { LogDateReader, logDateBytes, readDigits } from './log-date.ts'
import {
  emptyLogLine,
  type LineParser,
  type LogFormat,
  LogFormatError,
  type LogLine,
  type Parsed,
  type ParserOptions,
  writeTarget,
} from './log-format.ts'

/** Apache's `combined` and nginx's default. `vhost_combined` and `traefik` use its parser too. */
export const combined: LogFormat = {
  name: 'combined',
  hasHost: false,
  open: options => new CombinedParser(options),
  recognizesTail: () => true,
}

const space = 0x20
const dash = 0x2d
const quote = 0x22
const backslash = 0x5c
const maxWordBytes = 255

/**
 * Parses `address identity user [20/Nov/2026:10:11:12 +0000] "request" status size "referrer" "user agent"`, followed by
 * any text. With a client field, that text is split into fields, quoted or not. The client field is the number of a
 * field, from 1, or `last`.
 */
export class CombinedParser implements LineParser {
  readonly #dates = new LogDateReader()
  /** Number of the field with the client, counted after the user agent; 0 = none, infinity = the last field. */
  readonly #clientField: number
  /** The text after the user agent of the last line. */
  #tailStart = 0
  #tailEnd = 0

  constructor({ clientField }: ParserOptions) {
    this.#clientField = clientField === undefined ? 0 : readFieldNumber(clientField)
  }

  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    const addressEnd = findWordEnd(bytes, start, end)
    if (addressEnd === -1) return 'malformed'
    const hasNoIdentity = bytes[addressEnd + 1] === dash && bytes[addressEnd + 2] === space
    if (!hasNoIdentity && !isIdentified(bytes, start, addressEnd, end)) return 'malformed'
    const dateStart = findDate(bytes, addressEnd, end)
    if (dateStart === -1) return 'malformed'

    const requestStart = dateStart + logDateBytes + 3
    const requestEnd = findQuote(bytes, requestStart, end)
    if (requestEnd === -1 || bytes[requestEnd + 1] !== space) return 'malformed'

    const status = readDigits(bytes, requestEnd + 2, 3)
    const sizeStart = requestEnd + 6
    if (Number.isNaN(status) || bytes[sizeStart - 1] !== space) return 'malformed'
    const sizeEnd = findSizeEnd(bytes, sizeStart, end)
    if (sizeEnd === -1 || bytes[sizeEnd + 1] !== quote) return 'malformed'

    const referrerStart = sizeEnd + 2
    const referrerEnd = findQuote(bytes, referrerStart, end)
    if (referrerEnd === -1 || bytes[referrerEnd + 1] !== space || bytes[referrerEnd + 2] !== quote) return 'malformed'
    const userAgentEnd = findQuote(bytes, referrerEnd + 3, end)
    if (userAgentEnd === -1) return 'malformed'

    this.#tailStart = userAgentEnd + 1
    this.#tailEnd = end
    line.bytes = bytes
    line.addressStart = start
    line.addressEnd = addressEnd
    line.atMs = this.#dates.read(bytes, dateStart)
    line.status = status
    line.userAgentStart = referrerEnd + 3
    line.userAgentEnd = userAgentEnd
    line.referrerStart = isDash(bytes, referrerStart, referrerEnd) ? referrerEnd : referrerStart
    line.referrerEnd = referrerEnd
    readRequest(bytes, requestStart, requestEnd, line)
    if (this.#clientField > 0 && !findField(bytes, userAgentEnd + 1, end, this.#clientField, line)) return 'malformed'
    return 'request'
  }

  /**
   * Apache logs host names with HostnameLookups. But words that a log shipper writes before a line can look like one. So a
   * host name is only the client when exactly identity and user follow it, and neither is an address.
   */
  mayHaveHostname({ bytes, addressEnd }: LogLine): boolean {
    const identityEnd = findWordEnd(bytes, addressEnd + 1, bytes.length)
    const userEnd = identityEnd === -1 ? -1 : findWordEnd(bytes, identityEnd + 1, bytes.length)
    return (
      userEnd !== -1 &&
      bytes[userEnd + 1] === 0x5b &&
      !isAddress(bytes, addressEnd + 1, identityEnd) &&
      !isAddress(bytes, identityEnd + 1, userEnd)
    )
  }

  /** Reads quoted fields only: a bare address after the user agent is mostly that of a server behind the proxy. */
  findForwarded({ bytes }: LogLine): string | undefined {
    const tail = bytes.toString('latin1', this.#tailStart, this.#tailEnd)
    return tail.match(/"[0-9a-fA-F.:, ]{7,}"/)?.[0].slice(1, -1)
  }

  decodeHeader = unescapeField
  decodeTarget = unescapeField
}

/**
 * Returns the text after the user agent of a combined line that begins with an address, or with a host name and one word for
 * the user; undefined for other lines.
 */
export function findTail(bytes: Buffer, start: number, end: number): string | undefined {
  const line = emptyLogLine()
  if (new CombinedParser({}).parse(bytes, start, end, line) !== 'request') return undefined
  const address = bytes.toString('latin1', line.addressStart, line.addressEnd)
  const isBegun = isIP(bareAddress(address)) !== 0 || /^[\w.-]+ - \S+ \[/.test(bytes.toString('latin1', start, end))
  return isBegun ? bytes.toString('latin1', line.userAgentEnd + 1, end) : undefined
}

function readFieldNumber(clientField: string): number {
  if (clientField === 'last') return Number.POSITIVE_INFINITY
  if (/^[1-9]\d?$/.test(clientField)) return Number(clientField)
  throw new LogFormatError(
    `${clientField} is not valid for this format. Give the position of the field after the user agent (1 = the first), or the word "last".`,
    'client-field',
  )
}

/** Reads a request line such as `GET /a?b HTTP/1.1`. */
export function readRequest(bytes: Buffer, start: number, end: number, line: LogLine): void {
  line.isGet = isGet(bytes, start)
  if (!line.isGet) return
  // A protocol after the query does not matter: no query contains a space.
  writeTarget(line, bytes, start + 'GET '.length, end)
  if (line.targetEnd === end) line.targetEnd = findProtocol(bytes, line.targetStart, end)
}

/** Returns the start of the last ` HTTP/`, or `end` for an HTTP/0.9 request, which has no protocol. */
export function findProtocol(bytes: Buffer, start: number, end: number): number {
  for (let i = end - ' HTTP/'.length; i >= start; i--) {
    const isProtocol =
      bytes[i] === space &&
      bytes[i + 1] === 0x48 &&
      bytes[i + 2] === 0x54 &&
      bytes[i + 3] === 0x54 &&
      bytes[i + 4] === 0x50 &&
      bytes[i + 5] === 0x2f
    if (isProtocol) return i
  }
  // hypercorn logs the version alone: `1.1` or `2`.
  for (const length of [2, 4]) {
    const version = bytes.toString('latin1', Math.max(start, end - length), end)
    if (/^ [1-3](\.[01])?$/.test(version)) return end - length
  }
  return end
}

/** Returns whether the field is `-`: the client did not send the header. */
export function isDash(bytes: Buffer, start: number, end: number): boolean {
  return end - start === 1 && bytes[start] === dash
}

/** Returns whether `GET ` begins at `at`. */
function isGet(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x47 && bytes[at + 1] === 0x45 && bytes[at + 2] === 0x54 && bytes[at + 3] === space
}

/** Returns the end of the printable word at `start`; -1 when there is no word followed by a space. */
export function findWordEnd(bytes: Uint8Array, start: number, end: number): number {
  const last = Math.min(end, start + maxWordBytes + 1)
  for (let i = start; i < last; i++) {
    const byte = bytes[i] as number
    if (byte === space) return i > start ? i : -1
    if (byte < space || byte > 0x7e) return -1
  }
  return -1
}

/** Returns whether a word is an IP address. Most identities and users are a dash, for which no string is created. */
export function isAddress(bytes: Buffer, start: number, end: number): boolean {
  return end - start > 1 && isIP(bytes.toString('latin1', start, end)) !== 0
}

/**
 * Returns whether the first word is an address and the second one is not. The second word is the identity of RFC 1413, mostly a
 * dash. Other words come from a line with a host or an envelope before the address.
 */
function isIdentified(bytes: Buffer, start: number, addressEnd: number, end: number): boolean {
  const identityEnd = findWordEnd(bytes, addressEnd + 1, end)
  return (
    identityEnd !== -1 &&
    isIP(bareAddress(bytes.toString('latin1', start, addressEnd))) !== 0 &&
    isIP(bareAddress(bytes.toString('latin1', addressEnd + 1, identityEnd))) === 0
  )
}

/**
 * Returns the start of the date, after its bracket; -1 when there is none. A user name may contain spaces and brackets but
 * no bare quote. So `] "` at the right distance proves the date, and no user name can forge a visit.
 */
function findDate(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from; i + logDateBytes + 3 < end; i++) {
    if (bytes[i] === quote) return -1
    const isDate =
      bytes[i] === 0x5b &&
      bytes[i - 1] === space &&
      bytes[i + logDateBytes + 1] === 0x5d &&
      bytes[i + logDateBytes + 2] === space &&
      bytes[i + logDateBytes + 3] === quote
    if (isDate) return i + 1
  }
  return -1
}

/** Returns the end of the quoted field that starts at `from`; -1 when it is not closed. */
export function findQuote(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from; i < end; i++) {
    const byte = bytes[i]
    if (byte === quote) return i
    if (byte === backslash) i++
  }
  return -1
}

/** Returns the end of the number or `-` at `from`; -1 when there is neither, or no space follows. */
function findSizeEnd(bytes: Uint8Array, from: number, end: number): number {
  if (bytes[from] === 0x2d) return bytes[from + 1] === space ? from + 1 : -1
  for (let i = from; i < end; i++) {
    const byte = bytes[i] as number
    if (byte === space) return i > from ? i : -1
    if (byte < 0x30 || byte > 0x39) return -1
  }
  return -1
}

/**
 * Writes the position of field number `wanted` after `from` into `line`, or of the last field when `wanted` is infinite.
 * Returns false when a quote is not closed: the line is truncated, and a truncated address could be a different valid
 * address. The result is in `line` because an object would be allocated for every line.
 */
function findField(bytes: Uint8Array, from: number, end: number, wanted: number, line: LogLine): boolean {
  line.clientStart = line.clientEnd = 0
  let at = from
  for (let count = 1; count <= wanted; count++) {
    while (at < end && bytes[at] === space) at++
    if (at >= end) {
      if (Number.isFinite(wanted)) line.clientStart = line.clientEnd = 0
      return true
    }
    const isQuoted = bytes[at] === quote
    const start = isQuoted ? at + 1 : at
    const stop = isQuoted ? findQuote(bytes, start, end) : bytes.indexOf(space, start)
    if (isQuoted && stop === -1) return false
    const fieldEnd = stop === -1 || stop > end ? end : stop
    line.clientStart = start
    line.clientEnd = fieldEnd
    at = isQuoted ? fieldEnd + 1 : fieldEnd
  }
  return true
}

const namedEscapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }

/** Decodes the escapes of a quoted field: `\"`, `\\`, `\xNN` (nginx and Apache), `\n` and the like (Apache). */
export function unescapeField(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|(.))/gs, (_, hex: string | undefined, char: string) =>
    hex === undefined ? (namedEscapes[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
