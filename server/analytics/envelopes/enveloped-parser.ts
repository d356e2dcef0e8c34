import type { LineParser, LogLine, Parsed } from '../formats/log-format.ts'
import { type Content, type Envelope, emptyContent, type Unwrap } from './envelope.ts'

const maxJoinedBytes = 64 * 1024

/** A line that is collected from its parts. */
interface Joined {
  bytes: Buffer
  length: number
  isTooLong: boolean
}

/** Parses lines that are wrapped in an envelope. Their content is parsed by the parser of the format. */
export class EnvelopedParser implements LineParser {
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

  findForwarded(line: LogLine): string | undefined {
    return this.#parser.findForwarded?.(line)
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
