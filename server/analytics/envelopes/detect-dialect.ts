import { isIP } from 'node:net'
import { bareAddress } from '../formats/address.ts'
import { detectFormat } from '../formats/formats.ts'
import {
  emptyLogLine,
  type LineParser,
  type LogFormat,
  type LogLine,
  type ParserOptions,
} from '../formats/log-format.ts'
import { type Envelope, emptyContent, type Unwrap } from './envelope.ts'
import { EnvelopedParser } from './enveloped-parser.ts'
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
