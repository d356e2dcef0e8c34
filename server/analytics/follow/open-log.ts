/** An open file of a followed log, read from a given offset. */
export interface OpenLog {
  readonly path: string
  /** As in `LogEntry.file`. */
  readonly file: string
  /** Whether the file will not grow because it is compressed or a copy. */
  readonly isComplete: boolean
  /** The first bytes of the file, up to `headBytes`, as far as they were read. */
  readonly head: Uint8Array
  /** Header lines above the start offset, see `cutHeader`; known once `read` returned a piece. */
  readonly header: Buffer
  /** End of the last complete line read, in uncompressed bytes. */
  readonly offset: number
  readonly modifiedAtMs: number
  /** Bytes not read yet; an estimate for a compressed file. */
  readonly aheadBytes: number
  /**
   * Returns the next piece; null when there is none yet. A piece may end inside a line that is longer than a piece, and is
   * valid until the next call.
   *
   * @throws {LogReplacedError} when the file no longer contains the bytes read from it.
   */
  read(): Promise<Buffer | null>
  /** Returns the text after the last line break and adds a line break; for a complete file. */
  readRest(): Promise<Buffer | null>
  close(): Promise<void>
}

/** A file was emptied or rewritten: the lines after the last one read are in a copy, or lost. */
export class LogReplacedError extends Error {}
