import { createClock } from '../../base/throttle.ts'
import type { LogReader } from '../import/log-reader.ts'
import type { ProjectsByHost } from '../import/visited-projects.ts'
import type { BatchWriter } from './batch-writer.ts'
import type { FollowPosition } from './follow-position.ts'
import type { FollowedPiece } from './log-follower.ts'
import type { LogJudge } from './log-judge.ts'
import { isAllUnread } from './unread-log.ts'

export interface LogCounterOptions {
  reader: LogReader
  writer: BatchWriter
  /** Lists the current projects by host; called repeatedly. Undefined when one project has all visits. */
  listProjects: (() => Promise<ProjectsByHost>) | undefined
  lookUpMs: number
  /** How long views may wait before they are written. */
  flushMs: number
  judge: LogJudge
}

/** Counts the lines of a followed log, and writes the counts together with the position after them. */
export class LogCounter {
  readonly #options: LogCounterOptions
  readonly #isLookUpDue: () => boolean
  /** The position to write next, and the time of `performance.now()` when the first unwritten lines were read. */
  #read: { position: FollowPosition | null; since: number } | undefined

  constructor(options: LogCounterOptions) {
    this.#options = options
    this.#isLookUpDue = createClock(options.lookUpMs)
  }

  /** @param now milliseconds since 1970 */
  async add({ bytes, startsFile, header, position }: FollowedPiece, now: number): Promise<void> {
    const { reader, listProjects } = this.#options
    if (listProjects && this.#isLookUpDue()) reader.setProjects(await listProjects())
    if (startsFile) this.#startFile(header)
    reader.setNow(now)
    reader.push(bytes)
    this.#read = { position, since: this.#read?.since ?? performance.now() }
  }

  #startFile(header: Buffer): void {
    const { reader, judge } = this.#options
    if (!isAllUnread(reader.tally)) judge.judge(reader)
    judge.startFile()
    reader.startFile(header)
  }

  /** Writes the counts if they are due. Returns whether anything was written. */
  async flushIfDue(): Promise<boolean> {
    const { reader, flushMs } = this.#options
    if (!this.#read || (performance.now() - this.#read.since < flushMs && !reader.isFull)) return false
    await this.flush()
    return true
  }

  async flush(): Promise<void> {
    if (!this.#read) return
    const { position } = this.#read
    const { reader, writer } = this.#options
    this.#read = undefined
    // Taken first, because lines may wait for the detection of their format.
    const batches = reader.takeBatches()
    // If no line is in a known format, nothing is written, so that a run with the right format can read the lines again.
    if (!isAllUnread(reader.tally)) await writer.write(batches, position)
  }
}
