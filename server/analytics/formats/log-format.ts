import { OperatorError } from '../../base/operator-error.ts'

/**
 * The request of a log line, as offsets into bytes. One or two bytes suffice to filter most lines, and a string is
 * created only for values not seen before.
 */
export interface LogLine {
  /** The bytes that the offsets refer to: the line itself, or a buffer filled by the parser. */
  bytes: Buffer
  /** Address of the peer, as logged: with a port, brackets or a zone if the server writes them. */
  addressStart: number
  addressEnd: number
  /** The list of addresses in `ParserOptions.clientField`; empty when no field is set or the line has none. */
  clientStart: number
  clientEnd: number
  /** Milliseconds since 1970; NaN when the date is not valid. */
  atMs: number
  isGet: boolean
  /** Request target without its query; only set for a GET. */
  targetStart: number
  targetEnd: number
  /** The query, without its question mark; a fragment may follow. Empty when the line has none; only set for a GET. */
  queryStart: number
  queryEnd: number
  status: number
  userAgentStart: number
  userAgentEnd: number
  /** The host, with its port if logged; empty when the format or the line has none. */
  hostStart: number
  hostEnd: number
  /** The Referer header; empty when the format or the line has none. */
  referrerStart: number
  referrerEnd: number
  /** The Accept header; empty when the format or the line has none. */
  acceptStart: number
  acceptEnd: number
}

export function emptyLogLine(): LogLine {
  return {
    bytes: Buffer.alloc(0),
    addressStart: 0,
    addressEnd: 0,
    clientStart: 0,
    clientEnd: 0,
    atMs: 0,
    isGet: false,
    targetStart: 0,
    targetEnd: 0,
    queryStart: 0,
    queryEnd: 0,
    status: 0,
    userAgentStart: 0,
    userAgentEnd: 0,
    hostStart: 0,
    hostEnd: 0,
    referrerStart: 0,
    referrerEnd: 0,
    acceptStart: 0,
    acceptEnd: 0,
  }
}

/** Receives each line: the bytes from `start` up to `end`, without the line break. They are valid only during the call. */
export type OnLine = (bytes: Buffer, start: number, end: number) => void

/** `comment` = a valid line that is not a request, such as a header or a part of a request. */
export type Parsed = 'request' | 'comment' | 'malformed'

/** Parses the lines of one log. A parser may keep state from earlier lines, such as a header. */
export interface LineParser {
  /**
   * Parses the line in `bytes` from `start` up to `end`, and writes the result into `line`. `line` is complete only for a
   * request.
   */
  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed
  /** Decodes the escapes of a header such as the user agent. Both methods take bytes as a latin1 string. */
  decodeHeader(text: string): string
  decodeTarget(text: string): string
  /**
   * Returns the list of addresses that a proxy sent with the last parsed line, from a field that is known to hold it: a header
   * or a column `X-Forwarded-For`. Undefined = the line has none.
   */
  findForwarded?(line: LogLine): string | undefined
  /** Names the needed fields that no line had so far; missing when the format has no names of fields. */
  missingFields?(): readonly string[]
  /**
   * Returns whether a host name in the address field of a parsed line is the client. If absent, the format has only
   * addresses.
   */
  mayHaveHostname?(line: LogLine): boolean
}

export interface ParserOptions {
  /** The field that lists client addresses; each format has its own names. */
  clientField?: string | undefined
}

export interface LogFormat {
  name: string
  /** Whether lines contain the requested host. */
  hasHost: boolean
  open(options: ParserOptions): LineParser
  /** Returns whether a line that is not a JSON object is definitely in this format. */
  recognizes?(bytes: Buffer, start: number, end: number): boolean
  /** Returns whether a combined line with this text after its user agent is definitely in this format. */
  recognizesTail?(tail: string): boolean
  /** Returns whether a line with this JSON object is definitely in this format. */
  recognizesEntry?(entry: Record<string, unknown>): boolean
}

/** The settings of a format, named like their flags. */
export type FormatSetting = 'client-field' | 'format' | 'json-fields'

/** Thrown when a setting of a format is wrong, or the log contradicts the settings. */
export class LogFormatError extends OperatorError {
  readonly setting: FormatSetting | undefined
  /** The message without the name of the flag, because that name differs between commands. */
  readonly reason: string

  constructor(reason: string, setting?: FormatSetting) {
    super(setting ? `--${setting} ${reason}` : reason, 2)
    this.reason = reason
    this.setting = setting
  }
}

/** @throws {LogFormatError} if a client field is set for a format that has none. */
export function refuseClientField({ clientField }: ParserOptions, format: string): void {
  if (clientField === undefined) return
  throw new LogFormatError(
    `${clientField} is unknown. The format ${format} has the address of its peer only.`,
    'client-field',
  )
}

/** Names of a field with X-Forwarded-For in logs of named fields. */
export const forwardedNames = [
  'X-Forwarded-For',
  'x-forwarded-for',
  'x_forwarded_for',
  'http_x_forwarded_for',
  'xForwardedFor',
  'forwarded_for',
  'xff',
  'headers.x-forwarded-for',
  'req.headers.x-forwarded-for',
  'request.headers.x-forwarded-for',
] as const

/** Returns the text unchanged. */
export function asWritten(text: string): string {
  return text
}

/** Returns the target of a line as a latin1 string, without the escapes of the log. */
export function readTarget({ bytes, targetStart, targetEnd }: LogLine, { decodeTarget }: LineParser): string {
  return decodeTarget(bytes.toString('latin1', targetStart, targetEnd))
}

/** Writes the target with its query that fills the bytes from `start` up to `end`. */
export function writeTarget(line: LogLine, bytes: Uint8Array, start: number, end: number): void {
  const targetEnd = findQuery(bytes, start, end)
  line.targetStart = start
  line.targetEnd = targetEnd
  const hasQuery = targetEnd < end && bytes[targetEnd] === 0x3f
  line.queryStart = hasQuery ? targetEnd + 1 : 0
  line.queryEnd = hasQuery ? end : 0
}

/** Returns the start of the query or the fragment, or `end`. */
function findQuery(bytes: Uint8Array, start: number, end: number): number {
  for (let i = start; i < end; i++) if (bytes[i] === 0x3f || bytes[i] === 0x23) return i
  return end
}

/** Formats the error with the flag's name in the command; see `logOptions` for the prefix. */
export function nameFlag({ setting, reason }: LogFormatError, prefix = ''): string {
  return setting ? `--${prefix}${setting} ${reason}` : reason
}
