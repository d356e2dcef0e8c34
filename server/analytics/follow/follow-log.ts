import { resolve } from 'node:path'
import { pause } from '../../base/pause.ts'
import { createClock } from '../../base/throttle.ts'
import type { ImportTally } from '../import/import-tally.ts'
import { LogFileError } from '../import/log-file.ts'
import { LogReader, type LogReaderOptions } from '../import/log-reader.ts'
import type { ProjectsByHost, VisitedProject } from '../import/visited-projects.ts'
import type { VisitRecorder } from '../unique-visitors.ts'
import { BatchWriter } from './batch-writer.ts'
import { findFirstPosition } from './first-position.ts'
import type { FollowPosition } from './follow-position.ts'
import { LogCounter } from './log-counter.ts'
import { findEntry } from './log-entries.ts'
import { createPrintHead, type PrintHead } from './log-fingerprint.ts'
import { LogFollower } from './log-follower.ts'
import { createFormatWarning } from './unread-log.ts'

export interface FollowOptions extends Pick<LogReaderOptions, 'format' | 'clientField' | 'trustedProxies'> {
  /** Path of a log that is not compressed; it may not be there yet. */
  file: string
  /** The project that was visited; or what gives those that the hosts of the log belong to, as they are when it is called. */
  projects: VisitedProject | (() => Promise<ProjectsByHost>)
  visits: Pick<VisitRecorder, 'recordBatch' | 'recordLogPosition' | 'findLogPosition' | 'openVisitorKey'>
  /** Ends it, after what was read is written. */
  signal: AbortSignal
  /** Whether it also ends when all that is there is read and written. */
  once?: boolean
  /** Something a person should know; it goes on. Never holds anything of what stands in the log. */
  warn(message: string): void
  onStatus?(status: FollowStatus): void
  statusMs?: number
  pacing?: FollowPacing
  /** Milliseconds since 1970. */
  now?: () => number
}

export interface FollowStatus {
  tally: ImportTally
  /** Hosts that are the domain of no site, by their lines, most first. */
  unknownHosts: ReadonlyMap<string, number>
  /** Bytes of the log and its rotated files that are not read yet. */
  aheadBytes: number
}

export interface FollowPacing {
  /** Between two looks at the files. */
  pollMs: number
  /** How long a rotated file has to be quiet before the next one is begun. */
  graceMs: number
  /** How long views may wait to be written. */
  flushMs: number
}

export const defaultPacing: FollowPacing = { pollMs: 1000, graceMs: 5000, flushMs: 2000 }

/**
 * Counts the visits of a log while it is written and rotated, each line once: how far it was read is kept in the
 * transaction of the counts, and a later follow of the same path goes on there. The first one begins with the log as it is.
 *
 * @throws {OperatorError} see `VisitRecorder`.
 * @throws {LogFormatError} see `LogReader`.
 * @throws {OperatorError} after `signal` was aborted: the next follow reads the last lines again.
 */
export async function followAccessLog(options: FollowOptions): Promise<FollowStatus> {
  const run = await openRun({ ...options, file: resolve(options.file) })
  try {
    await run.readUntilEnded()
    return await run.end()
  } finally {
    await run.close()
  }
}

async function openRun(options: FollowOptions): Promise<FollowRun> {
  const { file, projects, visits, signal, warn, pacing = defaultPacing, now = Date.now } = options
  const isByHost = typeof projects === 'function'
  const key = await visits.openVisitorKey()
  const printHead = createPrintHead(key)
  const reader = new LogReader({
    ...options,
    projects: isByHost ? await projects() : projects,
    secret: key,
    now: now(),
  })
  const writer = new BatchWriter({ projectId: isByHost ? undefined : projects.id, log: file, visits, signal, warn })
  const position = await findPosition(file, writer, printHead)
  const follower = new LogFollower({ path: file, position, printHead, graceMs: pacing.graceMs, now, warn })
  const listProjects = isByHost ? projects : undefined
  const counter = new LogCounter({ reader, writer, listProjects, lookUpMs: pacing.pollMs, flushMs: pacing.flushMs })
  return new FollowRun(options, reader, follower, counter)
}

/** Where the last follow left off; where the first one begins is noted at once, or a rotation before its first line would be lost. */
async function findPosition(path: string, writer: BatchWriter, printHead: PrintHead): Promise<FollowPosition | null> {
  const known = await writer.findPosition()
  if (known !== undefined) return known
  const position = await findFirstPosition(path, printHead)
  await writer.write([], position)
  return position
}

/** A log that is followed now. */
class FollowRun {
  readonly #options: FollowOptions
  readonly #pacing: FollowPacing
  readonly #reader: LogReader
  readonly #follower: LogFollower
  readonly #counter: LogCounter
  readonly #isStatusDue: () => boolean
  readonly #warnOfFormat: (tally: ImportTally) => void

  constructor(options: FollowOptions, reader: LogReader, follower: LogFollower, counter: LogCounter) {
    this.#options = options
    this.#pacing = options.pacing ?? defaultPacing
    this.#reader = reader
    this.#follower = follower
    this.#counter = counter
    this.#isStatusDue = createClock(options.statusMs ?? this.#pacing.pollMs)
    // Whoever runs it once sees in the tally that nothing was read.
    this.#warnOfFormat = options.once ? () => {} : createFormatWarning(options.file, options.warn)
  }

  async readUntilEnded(): Promise<void> {
    const { signal, once, warn } = this.#options
    let said: string | undefined
    while (!signal.aborted) {
      const problem = await this.#readPieces()
      if (problem !== undefined && problem !== said) warn(problem)
      said = problem
      if (once && !this.#follower.isWaiting) break
      await pause(this.#pacing.pollMs, signal)
    }
  }

  async end(): Promise<FollowStatus> {
    await this.#counter.flush()
    return this.#measure()
  }

  async close(): Promise<void> {
    await this.#follower.close()
  }

  /** All that is there now; what keeps the log from being read, if anything does. */
  async #readPieces(): Promise<string | undefined> {
    const { file, signal, now = Date.now } = this.#options
    try {
      for await (const piece of this.#follower.read()) {
        await this.#counter.add(piece, now())
        await this.#afterPiece()
        if (signal.aborted) break
      }
      await this.#afterPiece()
      return (await findEntry(file)) ? undefined : `There is no ${file} yet.`
    } catch (error) {
      if (!isFileError(error)) throw error
      return `${error.message} It is tried again every ${this.#pacing.pollMs / 1000} s.`
    }
  }

  async #afterPiece(): Promise<void> {
    if (await this.#counter.flushIfDue()) this.#warnOfFormat(this.#reader.tally)
    const { onStatus } = this.#options
    if (onStatus && this.#isStatusDue()) onStatus(await this.#measure())
  }

  async #measure(): Promise<FollowStatus> {
    const { tally, unknownHosts } = this.#reader
    return { tally, unknownHosts, aheadBytes: await this.#follower.countAheadBytes() }
  }
}

function isFileError(error: unknown): error is Error {
  return error instanceof LogFileError || (error instanceof Error && 'syscall' in error)
}
