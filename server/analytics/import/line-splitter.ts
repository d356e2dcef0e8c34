/** Receives each line: the bytes from `start` up to `end`, without the line break. They are valid only during the call. */
export type OnLine = (bytes: Buffer, start: number, end: number) => void

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
