import { nameDialect } from '../envelopes/detect-dialect.ts'
import { FormatWindow } from './format-window.ts'

/** Lines that could not be read, and the format that most of them are in. */
export interface UnreadLines {
  /** Lines of the sample that are in the format. */
  lines: number
  /** The name of the format, with its envelope. */
  name: string
}

const detectAll = { format: undefined, envelope: undefined, clientField: undefined }

/**
 * Holds the first lines of a log that could not be read. If the format of a log changes, because the server was configured
 * anew, most of them are in another format.
 */
export class UnreadSample {
  #window: FormatWindow | undefined
  /** The last result, and the lines that it is about. */
  #known: { lineCount: number; found: UnreadLines | undefined } | undefined

  readonly add = (bytes: Buffer, start: number, end: number): void => {
    this.#window ??= new FormatWindow(detectAll, false)
    if (!this.#window.isFull) this.#window.add(bytes, start, end)
  }

  /** Finds the format of at least half of the lines; undefined when there is none. */
  detect(): UnreadLines | undefined {
    const window = this.#window
    if (!window) return undefined
    if (this.#known?.lineCount !== window.lineCount) {
      const { dialect, isClear, readLines } = window.detect()
      const name = dialect && nameDialect(dialect.format.name, dialect.envelope?.title)
      this.#known = {
        lineCount: window.lineCount,
        found: name !== undefined && isClear ? { lines: readLines, name } : undefined,
      }
    }
    return this.#known?.found
  }
}
