/** Receives each line: the bytes from `start` up to `end`, without the line break. They are valid only during the call. */
export type OnLine = (bytes: Buffer, start: number, end: number) => void

/** Maximum size of a line. Longer lines are skipped because no server accepts such long requests. */
export const maxLineBytes = 64 * 1024

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Splits chunks of bytes into lines. At most `maxLineBytes` of a line that continues in the next chunk are buffered; a
 * longer line is skipped and reported to `onTooLong` once.
 */
export class LineSplitter {
  readonly #onLine: OnLine
  readonly #onTooLong: () => void
  readonly #held = Buffer.allocUnsafe(maxLineBytes)
  #heldBytes = 0
  #isSkipping = false

  constructor(onLine: OnLine, onTooLong: () => void) {
    this.#onLine = onLine
    this.#onTooLong = onTooLong
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
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    if (this.#isSkipping) return
    if (this.#heldBytes + end - start > maxLineBytes) {
      this.#isSkipping = true
      return
    }
    this.#heldBytes += chunk.copy(this.#held, this.#heldBytes, start, end)
  }

  #release(): void {
    if (this.#isSkipping) this.#onTooLong()
    else this.#emit(this.#held, 0, this.#heldBytes)
    this.#heldBytes = 0
    this.#isSkipping = false
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    const hasReturn = end > start && bytes[end - 1] === carriageReturn
    if (end - start > maxLineBytes) this.#onTooLong()
    else this.#onLine(bytes, start, hasReturn ? end - 1 : end)
  }
}
