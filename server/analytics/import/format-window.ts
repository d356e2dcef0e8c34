import { type Dialect, DialectDetector, type DialectSettings, openDialect } from '../envelopes/detect-dialect.ts'
import { emptyLogLine, type OnLine } from '../formats/log-format.ts'
import { Clients } from './clients.ts'

/** Lines and bytes from which the format of a log is detected. */
const maxLines = 100
const maxBytes = 64 * 1024

/** The format of the first lines of a log. */
export interface FormatVerdict {
  /** Undefined when no line is in a known format. */
  dialect: Dialect | undefined
  /** Lines that are not empty. */
  lines: number
  /** Lines that are requests or comments in this format. */
  readLines: number
  /** The other format with the most of the remaining lines. */
  other: { name: string; lines: number } | undefined
  /** Whether at least half of the lines are in the format. */
  isClear: boolean
}

/**
 * Holds the first lines of a log until there are enough to detect its format. A single line does not decide, because a line
 * of another program can look like a request.
 */
export class FormatWindow {
  #bytes = Buffer.allocUnsafe(4096)
  #length = 0
  readonly #starts: number[] = []
  readonly #settings: DialectSettings
  /** Whether the window is the first of its log. */
  readonly isFirst: boolean

  constructor(settings: DialectSettings, isFirst: boolean) {
    this.#settings = settings
    this.isFirst = isFirst
  }

  get lineCount(): number {
    return this.#starts.length
  }

  get isFull(): boolean {
    return this.#starts.length >= maxLines || this.#length >= maxBytes
  }

  readonly add = (bytes: Buffer, start: number, end: number): void => {
    const needed = this.#length + end - start
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#starts.push(this.#length)
    this.#length += bytes.copy(this.#bytes, this.#length, start, end)
  }

  /** Calls `visit` with the bytes of each line from number `from` up to `to`. */
  visit(visit: OnLine, from = 0, to = this.#starts.length): void {
    for (let i = from; i < to; i++) {
      visit(this.#bytes, this.#starts[i] as number, this.#starts[i + 1] ?? this.#length)
    }
  }

  /**
   * Finds the format that reads the most lines; of several, the one that recognizes the most, then the one of the first
   * line.
   */
  detect(): FormatVerdict {
    const detector = new DialectDetector(this.#settings)
    let lines = 0
    this.visit((bytes, start, end) => {
      if (start === end) return
      lines++
      detector.add(bytes, start, end)
    })
    const candidates = detector.candidates.map(({ lines: found, ...dialect }) => ({
      dialect,
      found,
      readLines: this.#countRead(dialect),
    }))
    candidates.sort((a, b) => b.readLines - a.readLines || b.found - a.found)
    const [best, ...rest] = candidates
    const readLines = best?.readLines ?? 0
    const other = rest.sort((a, b) => b.found - a.found)[0]
    const otherLines = Math.min(other?.readLines ?? 0, lines - readLines)
    return {
      dialect: best?.dialect,
      lines,
      readLines,
      other: other && otherLines > 0 ? { name: other.dialect.format.name, lines: otherLines } : undefined,
      isClear: readLines > 0 && 2 * readLines >= lines,
    }
  }

  /** Counts the lines that are comments, or requests with a client, in a dialect. */
  #countRead(dialect: Dialect): number {
    const { format, clientField } = this.#settings
    const parser = openDialect(dialect, format ? { clientField } : {})
    const clients = new Clients({})
    const line = emptyLogLine()
    let count = 0
    this.visit((bytes, start, end) => {
      const parsed = parser.parse(bytes, start, end, line)
      if (parsed === 'comment' || (parsed === 'request' && clients.has(line, parser))) count++
    })
    return count
  }
}
