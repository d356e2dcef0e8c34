import { type Dialect, type DialectSettings, openDialect } from '../envelopes/detect-dialect.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import { emptyLogLine, type LineParser, type LogFormat } from '../formats/log-format.ts'
import { FormatWindow } from './format-window.ts'
import { LineSplitter, type OnLine } from './line-splitter.ts'
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
