import { OperatorError } from '../../base/operator-error.ts'
/**
 * A request as a log tells it, as offsets into bytes: most lines are filtered by a byte or two, and a string is cut only for
 * what was not seen before.
 */
export interface LogLine {
  /** What the offsets are in: the line itself, or what a parser made of it. */
  bytes: Buffer
  /** Of the peer. */
  addressStart: number
  addressEnd: number
  /** The list of addresses that `ParserOptions.clientField` names; empty when nobody asked or the line has none. */
  clientStart: number
  clientEnd: number
  /** Milliseconds since 1970; NaN when the date is none of the calendar. */
  atMs: number
  isGet: boolean
  /** Request target without its query; of a GET only. */
  targetStart: number
  targetEnd: number
  status: number
  userAgentStart: number
  userAgentEnd: number
  /** With its port, if it was written; empty when the format or the line has none. */
  hostStart: number
  hostEnd: number
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
    status: 0,
    userAgentStart: 0,
    userAgentEnd: 0,
    hostStart: 0,
    hostEnd: 0,
  }
}

/** `comment` = a line that is part of the format and no request, such as a header. */
export type Parsed = 'request' | 'comment' | 'malformed'

/** Reads the lines of one log; it may remember what stood above. */
export interface LineParser {
  /** Reads the line in `bytes` from `start` up to `end` into `line`, which is whole only when it is a request. */
  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed
  /** Undoes the escapes of a header, such as the user agent, or of a target; both are strings of bytes (latin1). */
  decodeHeader(text: string): string
  decodeTarget(text: string): string
}

export interface ParserOptions {
  /** Names the field that lists client addresses, in the way of the format. */
  clientField?: string | undefined
}

export interface LogFormat {
  name: string
  /** Whether lines tell the host that was asked. */
  hasHost: boolean
  open(options: ParserOptions): LineParser
  /** Whether a line is in this format for sure; without it, whether it can be parsed. */
  recognizes?(bytes: Buffer, start: number, end: number): boolean
}

/** The settings that say how a format is read, each named as its flag is. */
export type FormatSetting = 'client-field' | 'json-fields'

/** A setting of a format is wrong, or the log is not as the settings say. */
export class LogFormatError extends OperatorError {
  readonly setting: FormatSetting | undefined
  /** What is wrong, without the name of the setting: its flag has different names in different commands. */
  readonly told: string

  constructor(told: string, setting?: FormatSetting) {
    super(setting ? `--${setting} ${told}` : told, 2)
    this.told = told
    this.setting = setting
  }
}

/** The bytes as they stand. */
export function asWritten(text: string): string {
  return text
}

/** Where the query or the fragment begins, or `end`. */
export function findQuery(bytes: Uint8Array, start: number, end: number): number {
  for (let i = start; i < end; i++) if (bytes[i] === 0x3f || bytes[i] === 0x23) return i
  return end
}

/** What is wrong with a setting of a format, by the name that its flag has here; see `logOptions` for the prefix. */
export function nameFlag({ setting, told }: LogFormatError, prefix = ''): string {
  return setting ? `--${prefix}${setting} ${told}` : told
}
