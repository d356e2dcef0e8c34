import { bareAddress } from './address.ts'
import { readTime } from './log-date.ts'
import { asWritten, findQuery, type LineParser, type LogLine, type Parsed } from './log-format.ts'

/** What a JSON log tells of a request, each as it stands there. */
export interface JsonRequest {
  /** See `readTime`. */
  time: unknown
  method: unknown
  /** Path with its query, or a whole URL. */
  target: unknown
  /** Number, or digits. */
  status: unknown
  userAgent: unknown
  /** Of the peer, with or without a port. */
  address: unknown
  client?: unknown
  host?: unknown
}

const fieldsBytes = 256 * 1024

/**
 * Parses a line that is one JSON object. `read` picks the request out of it, undefined when it is about something else.
 *
 * A field with several values, as a header may have, is its first one.
 */
export class JsonLineParser implements LineParser {
  readonly #read: (entry: Record<string, unknown>) => JsonRequest | undefined
  /** The fields as bytes, one behind the other: at most three times the line, which has at most 64 KiB. */
  readonly #fields = Buffer.allocUnsafe(fieldsBytes)
  #length = 0

  constructor(read: (entry: Record<string, unknown>) => JsonRequest | undefined) {
    this.#read = read
  }

  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    const entry = parseObject(bytes, start, end)
    const request = entry && this.#read(entry)
    if (!request) return 'malformed'
    const method = firstText(request.method)
    const target = firstText(request.target)
    const address = firstText(request.address)
    const status = Number(request.status)
    if (method === '' || target === '' || address === '' || !Number.isInteger(status)) return 'malformed'

    this.#length = 0
    line.bytes = this.#fields
    line.addressStart = this.#length
    line.addressEnd = this.#write(bareAddress(address))
    line.clientStart = this.#length
    line.clientEnd = this.#write(firstText(request.client))
    line.targetStart = this.#length
    line.targetEnd = findQuery(this.#fields, line.targetStart, this.#write(target))
    line.userAgentStart = this.#length
    line.userAgentEnd = this.#write(firstText(request.userAgent))
    line.hostStart = this.#length
    line.hostEnd = this.#write(firstText(request.host))
    line.isGet = method === 'GET'
    line.status = status
    line.atMs = readTime(request.time)
    return 'request'
  }

  decodeHeader = asWritten
  decodeTarget = asWritten

  #write(text: string): number {
    this.#length += this.#fields.write(text, this.#length, 'utf8')
    return this.#length
  }
}

function parseObject(bytes: Buffer, start: number, end: number): Record<string, unknown> | undefined {
  if (bytes[start] !== 0x7b) return undefined
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** The text, or the first of several; empty when it is none. */
function firstText(value: unknown): string {
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}

/** What an object holds under a name; undefined too when it is none. Upper and lower case are one, as for a header. */
export function findHeader(headers: unknown, name: string): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined
  const held = headers as Record<string, unknown>
  if (Object.hasOwn(held, name)) return held[name]
  const wanted = name.toLowerCase()
  const key = Object.keys(held).find(key => key.toLowerCase() === wanted)
  return key === undefined ? undefined : held[key]
}

/** What is at a dotted path such as `req.headers.host`; a name that holds the dots itself goes first. */
export function findField(entry: unknown, path: string): unknown {
  if (typeof entry !== 'object' || entry === null) return undefined
  const held = entry as Record<string, unknown>
  if (Object.hasOwn(held, path)) return held[path]
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot)
    if (Object.hasOwn(held, name)) return findField(held[name], path.slice(dot + 1))
  }
  return undefined
}
