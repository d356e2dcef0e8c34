import { findWordEnd, isAddress, isDash, readRequest, unescapeField } from './combined.ts'
import { readDigits } from './log-date.ts'
import { type LineParser, type LogLine, type Parsed, writeTarget } from './log-format.ts'
import type { PatternEscape, PatternRole } from './pattern.ts'
import { clearTimeParts, emptyTimeParts, type TimeReader, toMs } from './pattern-time.ts'

/** One step of reading a line: a fixed text, a time, or a value. */
export type PatternStep =
  | { kind: 'text'; text: Buffer }
  | { kind: 'time'; read: TimeReader }
  | {
      kind: 'value'
      /** Index in `PatternParser`'s positions; -1 = the value is skipped. */
      slot: number
      /** The text after the value; empty = the value ends at the end of the line. */
      until: Buffer
      /** Whether the next text is the slash of a path, which is not part of `until`. */
      isBeforePath: boolean
      /** A time after `until`, and the text after it. They tell the right place from the same text in the value. */
      next: { read: TimeReader; text: Buffer } | undefined
      /** Whether the value is a list of addresses, which may be separated by a comma and a space. */
      isList: boolean
    }

const slots = [
  'address',
  'client',
  'request',
  'method',
  'target',
  'status',
  'referrer',
  'userAgent',
  'host',
  'accept',
  'query',
  'forwarded',
] as const satisfies PatternRole[]

const [address, client, request, method, target, status, referrer, userAgent, host, accept, query, forwarded] =
  slots.map((_, i) => i) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]

/** Returns the index of a role's value; -1 when it is not read as a value. */
export function findSlot(role: PatternRole): number {
  return (slots as readonly PatternRole[]).indexOf(role)
}

const backslash = 0x5c
const comma = 0x2c
const slash = 0x2f

/** Parses lines by the steps of a pattern. The whole line must match. */
export class PatternParser implements LineParser {
  readonly #steps: readonly PatternStep[]
  readonly #escape: PatternEscape
  readonly #addressBytes: ReadonlySet<number>
  readonly #starts = new Int32Array(slots.length)
  readonly #ends = new Int32Array(slots.length)
  readonly #time = emptyTimeParts()
  /** Used when trying whether a time follows. */
  readonly #triedTime = emptyTimeParts()

  /** @param options.mayHaveHostname whether the address may be a host name */
  constructor(
    steps: readonly PatternStep[],
    { escape: escaping, mayHaveHostname }: { escape: PatternEscape; mayHaveHostname: boolean },
  ) {
    this.#steps = steps
    this.#escape = escaping
    this.#addressBytes = mayHaveHostname ? hostnameBytes : addressBytes
    if (mayHaveHostname) this.mayHaveHostname = isNoAddressNext
    this.decodeHeader = this.decodeTarget =
      escaping === 'none' ? asIs : escaping === 'json' ? unescapeJson : unescapeField
  }

  readonly mayHaveHostname?: (line: LogLine) => boolean
  readonly decodeHeader: (text: string) => string
  readonly decodeTarget: (text: string) => string

  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    this.#starts.fill(0)
    this.#ends.fill(0)
    clearTimeParts(this.#time)
    let at = start
    for (const step of this.#steps) {
      at = this.#read(step, bytes, at, end)
      if (at === -1 || at > end) return 'malformed'
    }
    return at === end && this.#write(bytes, line) ? 'request' : 'malformed'
  }

  findForwarded({ bytes }: LogLine): string | undefined {
    const start = this.#startOf(forwarded)
    const end = this.#endOrEmpty(forwarded, bytes)
    return end > start ? this.decodeHeader(bytes.toString('latin1', start, end)) : undefined
  }

  #read(step: PatternStep, bytes: Buffer, at: number, end: number): number {
    if (step.kind === 'text') return isAt(bytes, at, step.text) ? at + step.text.length : -1
    if (step.kind === 'time') return step.read(bytes, at, end, this.#time)
    const valueEnd = this.#findEnd(step, bytes, at, end)
    if (valueEnd !== -1 && step.slot !== -1) {
      this.#starts[step.slot] = at
      this.#ends[step.slot] = valueEnd
    }
    return valueEnd
  }

  #findEnd(step: PatternStep & { kind: 'value' }, bytes: Buffer, at: number, end: number): number {
    const { until, isBeforePath, next, isList } = step
    if (until.length === 0 && !isBeforePath) return end
    const hasEscapes = this.#escape !== 'none'
    for (let i = at; i < end; i++) {
      const byte = bytes[i]
      if (isBeforePath) {
        if (byte === slash) return i
      } else if (byte === until[0] && i + until.length <= end && isAt(bytes, i, until)) {
        const isInList = isList && i > at && bytes[i - 1] === comma
        if (!isInList && (!next || this.#isBefore(next, bytes, i + until.length, end))) return i
      }
      if (byte === backslash && hasEscapes) i++
    }
    return -1
  }

  #isBefore({ read, text }: { read: TimeReader; text: Buffer }, bytes: Buffer, at: number, end: number): boolean {
    const timeEnd = read(bytes, at, end, this.#triedTime)
    return timeEnd !== -1 && isAt(bytes, timeEnd, text)
  }

  /** Writes the values into `line`. Returns false when one is not valid. */
  #write(bytes: Buffer, line: LogLine): boolean {
    const statusStart = this.#startOf(status)
    line.status = readDigits(bytes, statusStart, 3)
    if (Number.isNaN(line.status) || this.#endOf(status) - statusStart !== 3) return false
    const peer = this.#endOf(address) > this.#startOf(address) ? address : client
    const addressStart = this.#startOf(peer)
    const addressEnd = peer === address ? this.#endOf(peer) : findComma(bytes, addressStart, this.#endOf(peer))
    if (!isAddressText(bytes, addressStart, addressEnd, this.#addressBytes)) return false
    line.bytes = bytes
    line.atMs = toMs(this.#time)
    line.addressStart = addressStart
    line.addressEnd = addressEnd
    this.#writeHeaders(bytes, line)
    if (hasSpace(bytes, line.hostStart, line.hostEnd)) return false
    return this.#writeRequest(bytes, line)
  }

  #writeHeaders(bytes: Buffer, line: LogLine): void {
    line.clientStart = this.#startOf(client)
    line.clientEnd = this.#endOrEmpty(client, bytes)
    line.referrerStart = this.#startOf(referrer)
    line.referrerEnd = this.#endOrEmpty(referrer, bytes)
    line.userAgentStart = this.#startOf(userAgent)
    line.userAgentEnd = this.#endOf(userAgent)
    line.hostStart = this.#startOf(host)
    line.hostEnd = this.#endOrEmpty(host, bytes)
    line.acceptStart = this.#startOf(accept)
    line.acceptEnd = this.#endOrEmpty(accept, bytes)
  }

  #writeRequest(bytes: Buffer, line: LogLine): boolean {
    if (this.#endOf(method) === this.#startOf(method)) {
      readRequest(bytes, this.#startOf(request), this.#endOf(request), line)
      return true
    }
    const from = this.#startOf(method)
    line.isGet = isAt(bytes, from, get) && this.#endOf(method) === from + get.length
    writeTarget(line, bytes, this.#startOf(target), this.#endOf(target))
    if (this.#endOf(query) > this.#startOf(query)) {
      line.queryStart = this.#startOf(query)
      line.queryEnd = this.#endOrEmpty(query, bytes)
    }
    return !hasSpace(bytes, from, this.#endOf(method))
  }

  #startOf(slot: number): number {
    return this.#starts[slot] as number
  }

  #endOf(slot: number): number {
    return this.#ends[slot] as number
  }

  #endOrEmpty(slot: number, bytes: Buffer): number {
    return isDash(bytes, this.#startOf(slot), this.#endOf(slot)) ? this.#startOf(slot) : this.#endOf(slot)
  }
}

const get = Buffer.from('GET')
const addressBytes: ReadonlySet<number> = new Set(Buffer.from('0123456789abcdefABCDEF.:[]'))
const hostnameBytes: ReadonlySet<number> = new Set([
  ...addressBytes,
  ...Buffer.from('ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ-_'),
])

function isAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}

/**
 * Returns whether the word after the address field is no address. Otherwise the host name is that of the site, written before
 * the address.
 */
function isNoAddressNext({ bytes, addressEnd }: LogLine): boolean {
  const end = findWordEnd(bytes, addressEnd + 1, bytes.length)
  return end === -1 || !isAddress(bytes, addressEnd + 1, end)
}

/** Returns whether all bytes may be part of an address or host name, so that a word of another format is not taken for one. */
function isAddressText(bytes: Buffer, start: number, end: number, allowed: ReadonlySet<number>): boolean {
  for (let i = start; i < end; i++) if (!allowed.has(bytes[i] as number)) return false
  return end > start
}

function hasSpace(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === 0x20) return true
  return false
}

/** Returns the end of the first entry of a list. */
function findComma(bytes: Buffer, start: number, end: number): number {
  for (let i = start; i < end; i++) if (bytes[i] === comma) return i
  return end
}

function asIs(text: string): string {
  return text
}

/** Decodes the escapes of a JSON string; the text is bytes as latin1. */
function unescapeJson(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex: string | undefined, char: string) => {
    if (hex === undefined) return { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }[char] ?? char
    return Buffer.from(String.fromCharCode(Number.parseInt(hex, 16))).toString('latin1')
  })
}
