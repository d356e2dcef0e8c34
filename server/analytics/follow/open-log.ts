import type { LogHead } from './log-fingerprint.ts'

/** An open file of a followed log, read from a given offset. */
export interface OpenLog {
  readonly path: string
  /** As in `LogEntry.file`. */
  readonly file: string
  /** True if the file is compressed or a copy, and therefore will not grow. */
  readonly isComplete: boolean
  readonly head: LogHead
  /** Header lines before the start offset, see `cutHeader`. They are known once `read` has returned a piece. */
  readonly header: Buffer
  /** End of the last complete line read, in uncompressed bytes. */
  readonly offset: number
  readonly modifiedAtMs: number
  /** Bytes not read yet; an estimate for a compressed file. */
  readonly aheadBytes: number
  /**
   * Returns the next piece; null when there is none yet. The piece is valid until the next call. A piece may end inside a
   * line that is longer than a piece.
   *
   * @throws {LogReplacedError} when the file no longer contains the bytes read from it.
   */
  read(): Promise<Buffer | null>
  /** Returns the text after the last line break with a line break added. Call it when the file will not grow. */
  readRest(): Promise<Buffer | null>
  close(): Promise<void>
}

/** Thrown when a file was emptied or rewritten. Its unread lines are in a copy or lost. */
export class LogReplacedError extends Error {}
