import { decodeComponent } from '../../base/path-names.ts'
import { readTime } from './log-date.ts'
import {
  asWritten,
  forwardedNames,
  type LineParser,
  type LogFormat,
  type LogLine,
  type Parsed,
  writeTarget,
} from './log-format.ts'

/** An object of a line. */
export type JsonEntry = Record<string, unknown>

/** The request in an object. `comment` = a valid object that is not a request; undefined = not in the format. */
export type JsonReading = JsonRequest | 'comment' | undefined

/** The values of a request in a JSON log, unconverted. */
export interface JsonRequest {
  /** See `readTime`. */
  time: unknown
  method: unknown
  /** Path with query, or a full URL. */
  target: unknown
  /** Number, or digits. */
  status: unknown
  userAgent: unknown
  /** Address of the peer, with or without a port. */
  address: unknown
  client?: unknown
  host?: unknown
  referrer?: unknown
  accept?: unknown
}

const fieldsBytes = 256 * 1024

export interface JsonDialect {
  name: string
  /** Whether objects contain the requested host; true when missing. */
  hasHost?: boolean
  /** Reads an object by the names of its fields. */
  read(entry: JsonEntry): JsonReading
  /** Finds the value of a client field in an object that is a request; missing = the field is a dotted path. */
  findClient?(entry: JsonEntry, clientField: string): unknown
}

/** Creates a format for JSON lines that are recognized by the names of their fields. */
export function createJsonDialect({ name, hasHost = true, read, findClient = findField }: JsonDialect): LogFormat {
  return {
    name,
    hasHost,
    open: ({ clientField }) =>
      new JsonLineParser(entry => {
        const request = read(entry)
        if (clientField === undefined || typeof request !== 'object') return request
        return { ...request, client: findClient(entry, clientField) }
      }, findClient),
    recognizesEntry: entry => {
      const request = read(entry)
      return request !== undefined && request !== 'comment' && isComplete(request)
    },
  }
}

/** Parses the object of a line; undefined when the line is not an object. */
export function parseEntry(bytes: Buffer, start: number, end: number): JsonEntry | undefined {
  if (bytes[start] !== 0x7b) return undefined
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as JsonEntry
  } catch {
    return undefined
  }
}

/** Returns whether a request has all that is needed to count it. */
function isComplete({ method, target, address, status }: JsonRequest): boolean {
  return (
    firstText(method) !== '' &&
    firstText(target) !== '' &&
    firstText(address) !== '' &&
    Number.isInteger(Number(status ?? Number.NaN))
  )
}

/**
 * Parses lines that each contain one JSON object. `read` returns the request of a line.
 *
 * If a field has several values, as a header may, the first value is used.
 */
export class JsonLineParser implements LineParser {
  readonly #read: (entry: JsonEntry) => JsonReading
  readonly #readField: (entry: JsonEntry, name: string) => unknown
  /** The object of the last line. */
  #entry: JsonEntry | undefined
  /** The fields as consecutive bytes. They have at most three times the size of the line, which has at most 64 KiB. */
  readonly #fields = Buffer.allocUnsafe(fieldsBytes)
  #length = 0

  /** @param readField returns the value of a header or another field */
  constructor(read: (entry: JsonEntry) => JsonReading, readField: (entry: JsonEntry, name: string) => unknown) {
    this.#read = read
    this.#readField = readField
  }

  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    const entry = parseEntry(bytes, start, end)
    const request = entry && this.#read(entry)
    if (request === 'comment') return 'comment'
    if (!request || !isComplete(request)) return 'malformed'

    this.#entry = entry
    this.#length = 0
    line.bytes = this.#fields
    line.addressStart = this.#length
    line.addressEnd = this.#write(firstText(request.address))
    line.clientStart = this.#length
    line.clientEnd = this.#write(firstText(request.client))
    writeTarget(line, this.#fields, this.#length, this.#write(firstText(request.target)))
    line.userAgentStart = this.#length
    line.userAgentEnd = this.#write(decodeSpaces(firstText(request.userAgent)))
    line.hostStart = this.#length
    line.hostEnd = this.#write(firstText(request.host))
    line.referrerStart = this.#length
    line.referrerEnd = this.#write(withoutDash(firstText(request.referrer)))
    line.acceptStart = this.#length
    line.acceptEnd = this.#write(withoutDash(firstText(request.accept)))
    line.isGet = firstText(request.method) === 'GET'
    line.status = Number(request.status)
    line.atMs = readTime(request.time)
    return 'request'
  }

  findForwarded(): string | undefined {
    for (const name of forwardedNames) {
      const list = this.#entry && firstText(this.#readField(this.#entry, name))
      if (list) return list
    }
    return undefined
  }

  decodeHeader = asWritten
  decodeTarget = asWritten

  missingFields(): readonly string[] {
    return []
  }

  #write(text: string): number {
    this.#length += this.#fields.write(text, this.#length, 'utf8')
    return this.#length
  }
}

/** Returns the value, or the first value of an array, if it is a string; otherwise an empty string. */
function firstText(value: unknown): string {
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}

/** Decodes a text that has its spaces as `%20`, as CloudFront and Akamai write user agents. */
function decodeSpaces(text: string): string {
  return text.includes('%20') && !text.includes(' ') ? (decodeComponent(text) ?? text) : text
}

/** Returns an empty string for `-`, which many programs log for a header that the client did not send. */
function withoutDash(text: string): string {
  return text === '-' ? '' : text
}

/** Returns the host of a full URL; undefined when the text is none. */
export function findUrlHost(url: unknown): string | undefined {
  return typeof url === 'string' ? /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] : undefined
}

/** Returns the value as an object with fields; undefined when it is none. */
export function asObject(value: unknown): JsonEntry | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonEntry) : undefined
}

/** Returns the value of a name in an object; undefined when there is none. Ignores case because header names do. */
export function findHeader(headers: unknown, name: string): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined
  const values = headers as Record<string, unknown>
  if (Object.hasOwn(values, name)) return values[name]
  const wanted = name.toLowerCase()
  const key = Object.keys(values).find(key => key.toLowerCase() === wanted)
  return key === undefined ? undefined : values[key]
}

/** Returns the value at a dotted path such as `req.headers.host`; a name that contains the dots takes precedence. */
export function findField(entry: unknown, path: string): unknown {
  if (typeof entry !== 'object' || entry === null) return undefined
  const values = entry as Record<string, unknown>
  if (Object.hasOwn(values, path)) return values[path]
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot)
    if (Object.hasOwn(values, name)) return findField(values[name], path.slice(dot + 1))
  }
  return undefined
}
