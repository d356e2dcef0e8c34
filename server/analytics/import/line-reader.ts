import { type Dialect, type DialectSettings, openDialect } from '../envelopes/detect-dialect.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import { emptyLogLine, type LineParser, type LogFormat, type OnLine } from '../formats/log-format.ts'
import { FormatWindow } from './format-window.ts'
import type { Detection } from './log-evidence.ts'
import { isUtf16 } from './utf16.ts'

export interface LineReaderOptions {
  /** What is missing is detected from the first lines of each log. */
  dialect: Partial<DialectSettings>
  /** Receives each line, once `parser` can parse it or its format is unknown. */
  onLine: OnLine
  onTooLong(): void
  /** Receives the format before the first line that is in it. */
  onFormat(format: LogFormat): void
}

/**
 * Splits logs into lines, and detects their formats. While the format of a log is being detected, its first lines wait until
 * the next call of `flush`.
 */
export class LineReader {
  readonly #options: LineReaderOptions
  readonly #splitter: LineSplitter
  /** For lines that are only parsed because the parser needs their state. */
  readonly #line = emptyLogLine()
  readonly #settings: DialectSettings
  #dialect: Dialect | undefined
  #parser: LineParser | undefined
  /** The first lines while the format is being detected. Those before number `#given` were given to `onLine`. */
  #window: FormatWindow | undefined
  #given = 0
  #isFirstLine = true
  #isUtf16 = false
  #detection: Detection | undefined

  constructor(options: LineReaderOptions) {
    this.#options = options
    const { format, envelope, clientField } = options.dialect
    this.#settings = { format, envelope, clientField }
    this.#splitter = new LineSplitter(this.#readLine, () => {
      this.#isFirstLine = false
      options.onTooLong()
    })
  }

  /** Format of the lines so far, also of earlier logs; undefined while none was in a known format. */
  get format(): LogFormat | undefined {
    return this.#dialect?.format
  }

  /** Envelope of the lines so far; undefined when they have none. */
  get envelope(): Envelope | undefined {
    return this.#dialect?.envelope
  }

  get hasClientField(): boolean {
    return this.#settings.clientField !== undefined
  }

  /** The parser of the current log; undefined while its format is unknown. */
  get parser(): LineParser | undefined {
    return this.#parser
  }

  /** Whether the current log is UTF-16. */
  get isUtf16(): boolean {
    return this.#isUtf16
  }

  /** The result of the format detection in the first lines of the current log; undefined before, or if it was given. */
  get detection(): Detection | undefined {
    return this.#detection
  }

  /** NULs before lines that were skipped, of all logs. */
  get nulBytes(): number {
    return this.#splitter.nulBytes
  }

  /** Begins another log, see `LogReader.startFile`. */
  startFile(header?: Buffer): void {
    this.#splitter.drop()
    const { format, envelope } = this.#settings
    this.#isFirstLine = true
    this.#isUtf16 = false
    this.#detection = undefined
    this.#parser = undefined
    this.#window = format && envelope ? undefined : new FormatWindow(this.#settings, true)
    this.#given = 0
    // Opened before the first line, so that a setting that the format does not have is refused.
    if (format) this.#useDialect({ format, envelope: envelope === 'none' ? undefined : envelope })
    if (!header?.length) return
    const readHeaderLine: OnLine = (bytes, start, end) => {
      this.#window?.add(bytes, start, end)
      this.#parseHeaderLine(bytes, start, end)
    }
    new LineSplitter(readHeaderLine, () => {}).push(header)
    this.#given = this.#window?.lineCount ?? 0
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk)
  }

  /** Ends a log; its last line needs no line break. */
  end(): void {
    this.#splitter.end()
    this.flush()
  }

  /** Drops a last line without line break, and gives all lines before it. */
  cut(): void {
    this.#splitter.drop()
    this.flush()
  }

  /** Gives all lines that wait. Their format is detected from the lines so far, and again when more lines are known. */
  flush(): void {
    const window = this.#window
    if (!window || this.#given === window.lineCount) return
    const from = this.#given
    // Set first, so that no line is given again after an error.
    this.#given = window.lineCount
    const { isClear, dialect, ...verdict } = window.detect()
    if (dialect && (!this.#parser || !isSame(dialect, this.#dialect))) {
      this.#useDialect(dialect)
      window.visit(this.#parseHeaderLine, 0, from)
    }
    if (window.isFirst && !this.#settings.format) this.#detection = { ...verdict, format: dialect?.format.name }
    window.visit(this.#options.onLine, from)
    if (!window.isFull) return
    // If few of the lines are in any format, the format is detected again from the next lines.
    this.#window = isClear ? undefined : new FormatWindow(this.#settings, false)
    this.#given = 0
  }

  readonly #readLine: OnLine = (bytes, from, end) => {
    let start = from
    if (this.#isFirstLine) {
      this.#isFirstLine = false
      this.#isUtf16 = isUtf16(bytes.subarray(start, end))
      if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3
    }
    const window = this.#window
    if (!window) {
      this.#options.onLine(bytes, start, end)
      return
    }
    window.add(bytes, start, end)
    if (window.isFull) this.flush()
  }

  readonly #parseHeaderLine: OnLine = (bytes, start, end) => {
    this.#parser?.parse(bytes, start, end, this.#line)
  }

  #useDialect(dialect: Dialect): void {
    this.#options.onFormat(dialect.format)
    this.#dialect = dialect
    this.#parser = openDialect(dialect, { clientField: this.#settings.clientField })
  }
}

function isSame(dialect: Dialect, other: Dialect | undefined): boolean {
  return dialect.format === other?.format && dialect.envelope === other.envelope
}

/** Maximum size of a line. Longer lines are skipped because no server accepts such long requests. */
export const maxLineBytes = 64 * 1024

const lineFeed = 0x0a
const carriageReturn = 0x0d
const zeros = Buffer.alloc(4096)

/**
 * Splits chunks of bytes into lines. At most `maxLineBytes` of a line that continues in the next chunk are buffered; a
 * longer line is skipped and reported to `onTooLong` once.
 *
 * NULs before the first byte of a line are skipped. A log that is emptied by copytruncate while its writer keeps the old
 * position begins with a hole of NULs, which may be any length.
 */
export class LineSplitter {
  readonly #onLine: OnLine
  readonly #onTooLong: () => void
  readonly #held = Buffer.allocUnsafe(maxLineBytes)
  #heldBytes = 0
  #isSkipping = false
  /** NULs skipped at the beginning of the current line. */
  #lineNuls = 0
  #nulBytes = 0

  constructor(onLine: OnLine, onTooLong: () => void) {
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  /** NULs skipped so far. */
  get nulBytes(): number {
    return this.#nulBytes
  }

  push(chunk: Buffer): void {
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(lineFeed, start)
      if (end === -1) {
        this.#hold(chunk, start, chunk.length)
        return
      }
      if (this.#heldBytes === 0 && !this.#isSkipping) this.#emit(chunk, start, end)
      else {
        this.#hold(chunk, start, end)
        this.#release()
      }
      start = end + 1
    }
  }

  /** Emits the last line if it has no line break. */
  end(): void {
    if (this.#heldBytes > 0 || this.#isSkipping) this.#release()
  }

  /** Drops the last line if it has no line break. After a truncation, such a line is incomplete. */
  drop(): void {
    this.#heldBytes = 0
    this.#isSkipping = false
    this.#lineNuls = 0
  }

  #hold(chunk: Buffer, from: number, end: number): void {
    if (this.#isSkipping) return
    const start = this.#heldBytes === 0 ? this.#skipNuls(chunk, from, end) : from
    if (this.#heldBytes + end - start > maxLineBytes) {
      this.#isSkipping = true
      return
    }
    this.#heldBytes += chunk.copy(this.#held, this.#heldBytes, start, end)
  }

  #release(): void {
    if (this.#isSkipping) this.#onTooLong()
    else this.#emit(this.#held, 0, this.#heldBytes)
    this.drop()
  }

  #emit(bytes: Buffer, from: number, end: number): void {
    const start = bytes[from] === 0 ? this.#skipNuls(bytes, from, end) : from
    const hasReturn = end > start && bytes[end - 1] === carriageReturn
    const isTooLong = end - start > maxLineBytes || (start === end && this.#lineNuls > maxLineBytes)
    this.#lineNuls = 0
    if (isTooLong) this.#onTooLong()
    else this.#onLine(bytes, start, hasReturn ? end - 1 : end)
  }

  /** Returns the position of the first byte that is not NUL, or `end`. */
  #skipNuls(bytes: Buffer, start: number, end: number): number {
    let at = start
    while (end - at >= zeros.length && bytes.compare(zeros, 0, zeros.length, at, at + zeros.length) === 0) {
      at += zeros.length
    }
    while (at < end && bytes[at] === 0) at++
    this.#lineNuls += at - start
    this.#nulBytes += at - start
    return at
  }
}
