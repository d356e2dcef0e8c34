import { setTimeout } from 'node:timers/promises'
import { isDamagedFile, openCompressedLog } from './compressed-log.ts'
import type { FollowPosition } from './follow-position.ts'
import { findEntry, isAbsence, type LogEntry, listLogEntries, RotationUnderWayError } from './log-entries.ts'
import { LogFinder, type LogIdentity } from './log-finder.ts'
import type { PrintHead } from './log-fingerprint.ts'
import { LogReplacedError, type OpenLog } from './open-log.ts'
import { openPlainLog } from './plain-log.ts'

export interface FollowedPiece {
  /** Lines, valid up to the next piece; one that is longer than a piece comes in several. */
  bytes: Buffer
  /** Half a line that came before is not continued: forget it. */
  startsAnew: boolean
  /** The header that stands above, see `cutHeader`: of a file that is gone on with, where it starts anew. */
  header: Buffer
  /** Where to go on when this piece and all before it are counted. */
  position: FollowPosition | null
}

export interface LogFollowerOptions {
  /** Of the log, absolute. */
  path: string
  /** null = nothing of it was read yet. */
  position: FollowPosition | null
  printHead: PrintHead
  /** How long a file that was rotated away must be quiet: its writer goes on with it until it opens the new one. */
  graceMs: number
  /** Milliseconds since 1970. */
  now(): number
  warn(message: string): void
}

/** A compressed file that was left alone for so long is whole, or never will be. */
const surelyDoneMs = 60_000
/** After so many times the grace time a writer has missed the rotation. */
const maxGraces = 12
/** Before a file is given up. */
const secondLookMs = 200

/**
 * Reads a log through its rotations, each line once. It holds one file at a time: the one it was reading, under whatever
 * name, up to its end; then the next newer one.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions
  readonly #finder: LogFinder
  #position: FollowPosition | null
  #log: OpenLog | undefined
  /** Since when there are lines in a newer file, and when the last piece was read: both by `performance.now()`. */
  #newerSince: number | undefined
  #lastReadAt = 0
  #isUnderWay = false
  #isFresh = true
  #newerBytes = 0
  /** Files without a line, by file and last write: no position leads past them. */
  readonly #empty = new Set<string>()
  #warnedOf: string | undefined

  constructor(options: LogFollowerOptions) {
    this.#options = options
    this.#position = options.position
    this.#finder = new LogFinder(options.path, options.printHead)
  }

  /** Whether there is more than `read` gave: in a newer file, which has to wait until this one has been quiet for a while. */
  get isWaiting(): boolean {
    return this.#newerSince !== undefined || this.#isUnderWay
  }

  /** All that is there now. Called again later, it goes on with what was added. */
  async *read(): AsyncGenerator<FollowedPiece> {
    this.#isUnderWay = false
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
        this.#isUnderWay = true
        return
      }
    }
  }

  /** How many bytes are not read yet, of compressed files by their compressed size; as last known while files are renamed. */
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
        this.#lastReadAt = performance.now()
        yield this.#advance(log, bytes)
      }
    } catch (error) {
      const isLost = isDamagedFile(error) && this.#options.now() - log.modifiedAtMs >= surelyDoneMs
      if (isLost) {
        this.#warnOnce(log.file, `${(error as Error).message} Lines may be missing. It goes on with the next file.`)
        return
      }
      await this.close()
      // Perhaps it is still being compressed.
      throw isDamagedFile(error) ? new RotationUnderWayError() : error
    }
  }

  #advance(log: OpenLog, bytes: Buffer): FollowedPiece {
    // In the middle of its first line there is no place in this file to come back to.
    if (log.offset > 0) {
      const { file, offset, modifiedAtMs } = log
      this.#position = { file, head: this.#identify(log).head, offset, modifiedAtMs, isFinished: false }
    }
    const startsAnew = this.#isFresh
    this.#isFresh = false
    return { bytes, position: this.#position, startsAnew, header: log.header }
  }

  #identify({ file, head, offset, modifiedAtMs }: OpenLog): LogIdentity {
    return { file, head: this.#options.printHead(head.subarray(0, offset)), modifiedAtMs, isOpen: true }
  }

  /** Whether the file was read to its end and nothing more will come; when it waits for more, it stays open. */
  async #isFinished(log: OpenLog): Promise<boolean> {
    if (log.isComplete) return true
    const { path, graceMs } = this.#options
    if ((await findEntry(path))?.file === log.file) {
      this.#newerSince = undefined
      // Before its first line nothing tells it from what may take its place.
      if (log.head.length === 0) await this.close()
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
        `${path} was rotated, but the file it was is still written to: have the server open its logs anew. ` +
          'The new file is read when the old one is quiet.',
      )
    }
    return false
  }

  async *#finish(log: OpenLog): AsyncGenerator<FollowedPiece> {
    const rest = await log.readRest()
    if (rest) yield this.#advance(log, rest)
    if (log.head.length === 0) this.#empty.add(nameState(log))
    if (this.#position) this.#position = { ...this.#position, isFinished: true }
    await this.close()
  }

  /** Opens what the position leads to: its own file, or the next newer one. */
  async #openLog(): Promise<OpenLog | undefined> {
    const position = this.#position
    if (position && !position.isFinished) {
      const log = await this.#reopen(position)
      if (log) return log
      this.#options.warn(
        `${this.#options.path} was emptied or replaced, and no rotated file beside it goes on where it was read: lines may ` +
          'be missing. If you have them in another file, import it: nothing counts twice.',
      )
      this.#position = { ...position, isFinished: true }
    }
    const [next] = await this.#listNewer(this.#position)
    return next && this.#open(next, 0, false)
  }

  /** The file of a position, whatever became of it; undefined when it is nowhere. */
  async #reopen(position: FollowPosition): Promise<OpenLog | undefined> {
    const { path, printHead } = this.#options
    for (let tries = 0; tries < 3; tries++) {
      if (tries > 0) await setTimeout(secondLookMs)
      const entry = await this.#finder.findContinuation(position, await listLogEntries(path))
      if (!entry) continue
      const log = await this.#open(entry, position.offset, this.#finder.isCopy(entry, position))
      const { bytes, print } = position.head
      if (entry.isCompressed || printHead(log.head.subarray(0, bytes)).print === print) return log
      await log.close()
    }
    return undefined
  }

  /** The files with content that come after one, oldest first; all of them when none was read yet. */
  async #listNewer(identity: LogIdentity | null | undefined): Promise<LogEntry[]> {
    const entries = await listLogEntries(this.#options.path)
    const newer = identity ? await this.#finder.findNewer(identity, entries) : entries
    return newer.filter(entry => entry.sizeBytes > 0 && !this.#empty.has(nameState(entry)))
  }

  /** @throws {RotationUnderWayError} when another file has its name by now. */
  async #open(entry: LogEntry, offset: number, isComplete: boolean): Promise<OpenLog> {
    try {
      const log = entry.isCompressed
        ? await openCompressedLog(entry, offset)
        : await openPlainLog({ path: entry.path, offset, isComplete })
      this.#isFresh = true
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
