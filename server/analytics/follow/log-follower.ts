import { setTimeout } from 'node:timers/promises'
import { isDamagedFile, openCompressedLog } from './compressed-log.ts'
import type { FollowPosition } from './follow-position.ts'
import { findEntry, isAbsence, type LogEntry, listLogEntries, RotationUnderWayError } from './log-entries.ts'
import { LogFinder, type LogIdentity } from './log-finder.ts'
import type { FingerprintHead } from './log-fingerprint.ts'
import { LogReplacedError, type OpenLog } from './open-log.ts'
import { openPlainLog } from './plain-log.ts'

export interface FollowedPiece {
  /** Lines. They are valid until the next piece. A line longer than a piece is split into several pieces. */
  bytes: Buffer
  /** Whether this is the first piece since a file was opened. If so, a partial line before it must be dropped. */
  startsFile: boolean
  /** Header lines before the piece, see `cutHeader`; needed when `startsFile` is true and reading resumes inside a file. */
  header: Buffer
  /** Where to resume once this piece and all earlier pieces are counted. */
  position: FollowPosition | null
}

export interface LogFollowerOptions {
  /** Absolute path of the log. */
  path: string
  /** null = nothing was read yet. */
  position: FollowPosition | null
  fingerprintHead: FingerprintHead
  /** How long a rotated file must be unchanged. The web server writes to the rotated file until it opens the new file. */
  graceMs: number
  /** Milliseconds since 1970. */
  now(): number
  warn(message: string): void
}

/** A damaged compressed file that is unchanged for this long is no longer being written and stays damaged. */
const compressionTimeoutMs = 60_000
/** A server that still writes to the old file after this many grace periods did not reopen its log. */
const maxGraces = 12
/** Delay before the file of a position is searched for again. */
const retryDelayMs = 200

/**
 * Reads a log and its rotated files, each line once. It keeps one file open at a time and reads that file to its end,
 * even after a rename. Then it opens the next newer file.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions
  readonly #finder: LogFinder
  #position: FollowPosition | null
  #log: OpenLog | undefined
  /**
   * When lines were first found in a newer file, and when the last piece was read. Both are times of `performance.now()`.
   */
  #newerSince: number | undefined
  #lastReadAt = 0
  #isRotating = false
  #isFileStart = true
  #newerBytes = 0
  /** Empty files to skip, by file and last write. This list is needed because no position can record them. */
  readonly #empty = new Set<string>()
  #warnedOf: string | undefined

  constructor(options: LogFollowerOptions) {
    this.#options = options
    this.#position = options.position
    this.#finder = new LogFinder(options.path, options.fingerprintHead)
  }

  /** Whether a newer file has lines that `read` has not returned yet, because the current file may still grow. */
  get isWaiting(): boolean {
    return this.#newerSince !== undefined || this.#isRotating
  }

  /** Reads all lines that exist now. A later call reads the lines added since. */
  async *read(): AsyncGenerator<FollowedPiece> {
    this.#isRotating = false
    for (;;) {
      try {
        this.#log ??= await this.#openLog()
        if (!this.#log) return
        yield* this.#readLog(this.#log)
        if (!(await this.#isFinished(this.#log))) return
        yield* this.#finish(this.#log)
      } catch (error) {
        if (error instanceof LogReplacedError) continue
        if (!(error instanceof RotationUnderWayError)) throw error
        this.#isRotating = true
        return
      }
    }
  }

  /**
   * Counts the bytes not read yet; for compressed files, the compressed bytes. Uses the last known count of newer files
   * while files are being renamed.
   */
  async countAheadBytes(): Promise<number> {
    try {
      const newer = await this.#listNewer(this.#log ? this.#identify(this.#log) : this.#position)
      this.#newerBytes = newer.reduce((total, { sizeBytes }) => total + sizeBytes, 0)
    } catch (error) {
      if (!(error instanceof RotationUnderWayError)) throw error
    }
    return this.#newerBytes + (this.#log?.aheadBytes ?? 0)
  }

  async close(): Promise<void> {
    const log = this.#log
    this.#log = undefined
    this.#newerSince = undefined
    await log?.close()
  }

  async *#readLog(log: OpenLog): AsyncGenerator<FollowedPiece> {
    try {
      for (;;) {
        const bytes = await log.read()
        if (!bytes) return
        await this.#checkOrder(log)
        this.#lastReadAt = performance.now()
        yield this.#advance(log, bytes)
      }
    } catch (error) {
      // A file of the future was written before the clock was set back.
      const unchangedMs = Math.abs(this.#options.now() - log.modifiedAtMs)
      const isLost = isDamagedFile(error) && unchangedMs >= compressionTimeoutMs
      if (isLost) {
        this.#warnOnce(log.file, `${(error as Error).message} Lines may be missing. Continuing with the next file.`)
        return
      }
      await this.close()
      // Compression of the file may not have finished.
      throw isDamagedFile(error) ? new RotationUnderWayError() : error
    }
  }

  /**
   * Checks after the first piece of a file that no older file is unread. The log may have been copied and emptied after the
   * files were listed, and then the copy has the lines that come before the piece.
   *
   * @throws {RotationUnderWayError} when there is such a file.
   */
  async #checkOrder(log: OpenLog): Promise<void> {
    const isNext = this.#isFileStart && (!this.#position || this.#position.isFinished)
    if (!isNext) return
    const [next] = await this.#listNewer(this.#position)
    if (next?.file !== log.file) throw new RotationUnderWayError()
  }

  #advance(log: OpenLog, bytes: Buffer): FollowedPiece {
    // Until the first line is complete, this file has no position to resume at.
    if (log.offset > 0) {
      const { file, offset, modifiedAtMs } = log
      this.#position = { file, head: this.#identify(log).head, offset, modifiedAtMs, isFinished: false }
    }
    const startsFile = this.#isFileStart
    this.#isFileStart = false
    return { bytes, position: this.#position, startsFile, header: log.header }
  }

  #identify({ file, head, offset, modifiedAtMs }: OpenLog): LogIdentity {
    return { file, head: this.#options.fingerprintHead(head.before(offset)), modifiedAtMs, isOpen: true }
  }

  /** Returns whether the file was read to its end and will not grow. Closes the log itself while it is empty. */
  async #isFinished(log: OpenLog): Promise<boolean> {
    if (log.isComplete) return true
    const { path, graceMs } = this.#options
    if ((await findEntry(path))?.file === log.file) {
      this.#newerSince = undefined
      // An empty log cannot be distinguished from a file that replaces it.
      if (log.head.isEmpty) await this.close()
      return false
    }
    const newer = await this.#listNewer(this.#identify(log))
    if (newer.length === 0) return false
    const at = performance.now()
    this.#newerSince ??= at
    if (at - Math.max(this.#newerSince, this.#lastReadAt) >= graceMs) return true
    if (at - this.#newerSince > maxGraces * graceMs) {
      this.#warnOnce(
        log.file,
        `${path} was rotated, but the web server still writes to the old file. Make it reopen its logs. ` +
          'The new file is read once the old one stops growing.',
      )
    }
    return false
  }

  async *#finish(log: OpenLog): AsyncGenerator<FollowedPiece> {
    const rest = await log.readRest()
    if (rest) yield this.#advance(log, rest)
    if (log.head.isEmpty) this.#empty.add(nameState(log))
    if (this.#position) this.#position = { ...this.#position, isFinished: true }
    await this.close()
  }

  /** Opens the file of the position, or the next newer one. */
  async #openLog(): Promise<OpenLog | undefined> {
    const position = this.#position
    if (position && !position.isFinished) {
      const log = await this.#reopen(position)
      if (log) return log
      this.#options.warn(
        `${this.#options.path} was emptied or replaced, and no rotated file continues where reading stopped: lines may be ` +
          'missing. If another file has them, import it; no visit counts twice.',
      )
      this.#position = { ...position, isFinished: true }
    }
    const [next] = await this.#listNewer(this.#position)
    return next && this.#open(next, 0, false)
  }

  /** Opens the file of a position, even after a rename, copy or compression; undefined when it no longer exists. */
  async #reopen(position: FollowPosition): Promise<OpenLog | undefined> {
    const { path, fingerprintHead } = this.#options
    for (let tries = 0; tries < 3; tries++) {
      if (tries > 0) await setTimeout(retryDelayMs)
      const entry = await this.#finder.findContinuation(position, await listLogEntries(path))
      if (!entry) continue
      if (this.#finder.isAmbiguous) {
        this.#warnOnce(
          position.file,
          `Several rotated files of ${path} begin alike, so it is unclear where reading stopped: lines may be missing. ` +
            'Import the rotated files; no visit counts twice.',
        )
      }
      const log = await this.#open(entry, position.offset, this.#finder.isCopy(entry, position))
      const { bytes, print } = position.head
      if (entry.isCompressed || fingerprintHead(log.head.bytes.subarray(0, bytes)).print === print) return log
      await log.close()
    }
    return undefined
  }

  /** Lists the non-empty files newer than the given one, oldest first; all non-empty files when none was read yet. */
  async #listNewer(identity: LogIdentity | null | undefined): Promise<LogEntry[]> {
    const entries = await listLogEntries(this.#options.path)
    const newer = identity ? await this.#finder.findNewer(identity, entries) : entries
    return newer.filter(entry => entry.sizeBytes > 0 && !this.#empty.has(nameState(entry)))
  }

  /** @throws {RotationUnderWayError} when another file now has the entry's name. */
  async #open(entry: LogEntry, offset: number, isComplete: boolean): Promise<OpenLog> {
    try {
      const log = entry.isCompressed
        ? await openCompressedLog(entry, offset)
        : await openPlainLog({ path: entry.path, offset, isComplete })
      this.#isFileStart = true
      if (log.file === entry.file) return log
      await log.close()
    } catch (error) {
      if (!isAbsence(error)) throw error
    }
    throw new RotationUnderWayError()
  }

  #warnOnce(about: string, message: string): void {
    if (this.#warnedOf === about) return
    this.#warnedOf = about
    this.#options.warn(message)
  }
}

function nameState({ file, modifiedAtMs }: Pick<OpenLog, 'file' | 'modifiedAtMs'>): string {
  return `${file} ${modifiedAtMs}`
}
