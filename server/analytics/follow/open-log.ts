/** A file of a followed log, read from where it was left. */
export interface OpenLog {
  readonly path: string
  /** As `LogEntry.file`. */
  readonly file: string
  /** Nobody writes to it any more: it is compressed, or a copy. */
  readonly isComplete: boolean
  /** The first bytes of what was read, up to `headBytes`. */
  readonly head: Uint8Array
  /** What `cutHeader` finds above the place where it was left; known once `read` gave a piece. */
  readonly header: Buffer
  /** Where the last whole line that was read ends, before compression. */
  readonly offset: number
  readonly modifiedAtMs: number
  /** How much of it is there to be read: an estimate where it is compressed. */
  readonly aheadBytes: number
  /**
   * The next piece of it; null when there is none for now. A piece may end inside a line that is longer than a piece. It
   * is valid up to the next call.
   *
   * @throws {LogReplacedError} when the file does not hold any more what was read from it.
   */
  read(): Promise<Buffer | null>
  /** What stands after the last line break, with one: for a file that is finished. */
  readRest(): Promise<Buffer | null>
  close(): Promise<void>
}

/** A file was emptied or written anew: what follows the last line read stands in a copy of it, or nowhere. */
export class LogReplacedError extends Error {}
