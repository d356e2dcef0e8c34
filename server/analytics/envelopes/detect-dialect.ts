import { isIP } from 'node:net'
import { bareAddress } from '../formats/address.ts'
import { detectFormat } from '../formats/formats.ts'
import {
  emptyLogLine,
  type LineParser,
  type LogFormat,
  type LogLine,
  type Parsed,
  type ParserOptions,
} from '../formats/log-format.ts'
import { type Content, type Envelope, emptyContent, type Unwrap } from './envelope.ts'
import { envelopes } from './envelopes.ts'

/** How the lines of a log are written: the format of a web server, and the envelope around it. */
export interface Dialect {
  format: LogFormat
  /** Undefined when the lines have none. */
  envelope: Envelope | undefined
}

/** What is set; the rest is detected. */
export interface DialectSettings {
  format: LogFormat | undefined
  /** `none` = the lines have no envelope. */
  envelope: Envelope | 'none' | undefined
  clientField: string | undefined
}

/** Opens a parser for the lines of a dialect. */
export function openDialect({ format, envelope }: Dialect, options: ParserOptions): LineParser {
  const parser = format.open(options)
  return envelope ? new EnvelopedParser(envelope, parser) : parser
}

/** Names a dialect, such as `combined in syslog (RFC 3164) lines`. */
export function nameDialect(format: string, envelope: string | undefined): string {
  return envelope === undefined ? format : `${format} in ${envelope} lines`
}

/** Detects the dialect of one line; undefined when it is in no known dialect. */
export function detectDialectOfLine(
  bytes: Buffer,
  start: number,
  end: number,
  settings: DialectSettings,
): Dialect | undefined {
  const detector = new DialectDetector(settings)
  detector.add(bytes, start, end)
  return detector.candidates[0]
}

/** A dialect, and the number of lines in it. */
export interface Candidate extends Dialect {
  lines: number
}

/** A possible envelope, and the parser of the given format for its lines. */
interface Opening {
  envelope: Envelope | undefined
  unwrap: Unwrap | undefined
  /** Undefined when the format is detected. */
  parser: LineParser | undefined
}

/** Finds the dialects that lines are in. */
export class DialectDetector {
  readonly #settings: DialectSettings
  readonly #openings: Opening[]
  readonly #candidates: Candidate[] = []

  constructor(settings: DialectSettings) {
    this.#settings = settings
    const { format, clientField } = settings
    this.#openings = listPossible(settings).map(envelope => ({
      envelope,
      unwrap: envelope?.open(),
      parser: format?.open({ clientField }),
    }))
  }

  /** The dialects so far, in the order of their first lines. */
  get candidates(): readonly Candidate[] {
    return this.#candidates
  }

  add(bytes: Buffer, start: number, end: number): void {
    for (const opening of this.#openings) {
      const found = this.#detect(bytes, start, end, opening)
      if (!found) continue
      const { envelope } = opening
      let candidate = this.#candidates.find(known => known.format === found && known.envelope === envelope)
      if (!candidate) {
        candidate = { format: found, envelope, lines: 0 }
        this.#candidates.push(candidate)
      }
      candidate.lines++
      return
    }
  }

  #detect(bytes: Buffer, start: number, end: number, { unwrap, parser }: Opening): LogFormat | undefined {
    const content = emptyContent()
    if (!unwrap) Object.assign(content, { bytes, start, end })
    else if (!unwrap(bytes, start, end, content) || content.isPart) return undefined
    if (!parser) return detectFormat(content.bytes, content.start, content.end)
    const line = emptyLogLine()
    const parsed = parser.parse(content.bytes, content.start, content.end, line)
    const isFound = unwrap ? parsed === 'request' && hasAddress(line, parser) : parsed !== 'malformed'
    return isFound ? this.#settings.format : undefined
  }
}

/**
 * Lists the envelopes to try. A given format is tried within the envelopes first, because a lenient format may accept a line
 * with its envelope.
 */
function listPossible({ envelope, format }: DialectSettings): readonly (Envelope | undefined)[] {
  if (envelope === 'none') return [undefined]
  if (envelope) return [envelope]
  return format ? [...envelopes, undefined] : [undefined, ...envelopes]
}

function hasAddress({ bytes, addressStart, addressEnd }: LogLine, parser: LineParser): boolean {
  return isIP(bareAddress(parser.decodeHeader(bytes.toString('latin1', addressStart, addressEnd)))) !== 0
}

const maxJoinedBytes = 64 * 1024

/** A line that is collected from its parts. */
interface Joined {
  bytes: Buffer
  length: number
  isTooLong: boolean
}

/** Parses lines that are wrapped in an envelope. Their content is parsed by the parser of the format. */
class EnvelopedParser implements LineParser {
  readonly decodeHeader: LineParser['decodeHeader']
  readonly decodeTarget: LineParser['decodeTarget']
  readonly #parser: LineParser
  readonly #unwrap: Unwrap
  readonly #content: Content = emptyContent()
  /** The started lines by `Content.key`; undefined = none. */
  readonly #joined: (Joined | undefined)[] = []

  constructor(envelope: Envelope, parser: LineParser) {
    this.#unwrap = envelope.open()
    this.#parser = parser
    this.decodeHeader = text => parser.decodeHeader(text)
    this.decodeTarget = text => parser.decodeTarget(text)
  }

  /** Returns `comment` for a part of a line: the line counts once, when its last part is read. */
  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    const content = this.#content
    if (!this.#unwrap(bytes, start, end, content)) return 'malformed'
    if (content.isPart) {
      this.#join(content)
      return 'comment'
    }
    const joined = this.#joined[content.key]
    if (joined === undefined || joined.length === 0) {
      return this.#parser.parse(content.bytes, content.start, content.end, line)
    }
    this.#join(content)
    const { length, isTooLong } = joined
    joined.length = 0
    joined.isTooLong = false
    return isTooLong ? 'malformed' : this.#parser.parse(joined.bytes, 0, length, line)
  }

  mayHaveHostname(line: LogLine): boolean {
    return this.#parser.mayHaveHostname?.(line) ?? false
  }

  missingFields(): readonly string[] {
    return this.#parser.missingFields?.() ?? []
  }

  #join({ bytes, start, end, key }: Content): void {
    this.#joined[key] ??= { bytes: Buffer.allocUnsafe(maxJoinedBytes), length: 0, isTooLong: false }
    const joined = this.#joined[key]
    if (joined.length + end - start > maxJoinedBytes) joined.isTooLong = true
    else joined.length += bytes.copy(joined.bytes, joined.length, start, end)
  }
}
