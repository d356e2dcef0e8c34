import { createClock } from '../../base/throttle.ts'
import type { LogReader } from '../import/log-reader.ts'
import type { ProjectsByHost } from '../import/visited-projects.ts'
import type { BatchWriter } from './batch-writer.ts'
import type { FollowPosition } from './follow-position.ts'
import type { FollowedPiece } from './log-follower.ts'
import { isAllUnread } from './unread-log.ts'

export interface LogCounterOptions {
  reader: LogReader
  writer: BatchWriter
  /** The projects of the hosts as they are now, looked up again as the log goes on; undefined when hosts do not matter. */
  listProjects: (() => Promise<ProjectsByHost>) | undefined
  lookUpMs: number
  /** How long views may wait to be written. */
  flushMs: number
}

/** Counts what is read of a followed log, and writes it together with the position behind it. */
export class LogCounter {
  readonly #options: LogCounterOptions
  readonly #isLookUpDue: () => boolean
  /** What waits to be written, and since when by `performance.now()`. */
  #read: { position: FollowPosition | null; since: number } | undefined

  constructor(options: LogCounterOptions) {
    this.#options = options
    this.#isLookUpDue = createClock(options.lookUpMs)
  }

  /** @param now milliseconds since 1970 */
  async add({ bytes, startsAnew, header, position }: FollowedPiece, now: number): Promise<void> {
    const { reader, listProjects } = this.#options
    if (listProjects && this.#isLookUpDue()) reader.setProjects(await listProjects())
    if (startsAnew) reader.startFile(header)
    reader.setNow(now)
    reader.push(bytes)
    this.#read = { position, since: this.#read?.since ?? performance.now() }
  }

  /** Whether it was, and something waited. */
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
    // What no format fits stays unread: the next run, told the right one, begins with it.
    if (!isAllUnread(reader.tally)) await writer.write(reader.takeBatches(), position)
  }
}
