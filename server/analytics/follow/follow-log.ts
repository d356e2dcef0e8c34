import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pause } from '../../base/pause.ts'
import type { ImportTally } from '../import/import-tally.ts'
import { LogFileError } from '../import/log-file.ts'
import { LogReader, type LogReaderOptions } from '../import/log-reader.ts'
import type { Suspicion } from '../import/suspicions.ts'
import type { ProjectsByHost, VisitedProject } from '../import/visited-projects.ts'
import type { VisitRecorder } from '../unique-visitors.ts'
import { BatchWriter } from './batch-writer.ts'
import { defaultPacing, type FollowPacing } from './follow-pacing.ts'
import { type FollowPosition, formatPosition, parsePosition } from './follow-position.ts'
import { findEntry, listLogEntries, RotationUnderWayError } from './log-entries.ts'
import { LogFinder } from './log-finder.ts'
import { createHeadFingerprinter, type FingerprintHead } from './log-fingerprint.ts'
import { type FollowedPiece, LogFollower } from './log-follower.ts'
import { LogJudge } from './log-judge.ts'
import { createFormatWarning, isAllUnread } from './unread-log.ts'

export interface FollowOptions
  extends Pick<
    LogReaderOptions,
    'format' | 'envelope' | 'clientField' | 'trustedProxies' | 'ipv6Prefix' | 'markdownAsAi' | 'agents'
  > {
  /** Path of an uncompressed log, which may not exist yet. */
  file: string
  /** The project of all visits, or a function that returns the current projects by host. */
  projects: VisitedProject | (() => Promise<ProjectsByHost>)
  visits: Pick<
    VisitRecorder,
    'recordBatch' | 'recordLogPosition' | 'findLogPosition' | 'openVisitorKey' | 'openVisitorKeys'
  >
  /** Stops following; everything already read is written first. */
  signal: AbortSignal
  /** Whether to stop once all existing lines are read and written. */
  once?: boolean
  /** Reports a problem to the operator; following continues. The message never quotes the log. */
  warn(message: string): void
  onStatus?: ((status: FollowStatus) => void) | undefined
  statusMs?: number
  pacing?: FollowPacing
  /** Milliseconds since 1970. */
  now?: () => number
}

export interface FollowStatus {
  tally: ImportTally
  /** Hosts without a registered site and their line counts, highest first. */
  unknownHosts: ReadonlyMap<string, number>
  /** Bytes of the log and its rotated files not read yet; undefined = the log is in a bucket. */
  aheadBytes: number | undefined
  /** Reasons to believe that counts of this run are wrong, the latest of each kind. */
  suspicions: Suspicion[]
}

/**
 * Counts the visits of a log while it is written and rotated, each line once. The position is stored in the same
 * transaction as the counts, and a later run on the same path resumes there. The first run begins at the start of the
 * current file.
 *
 * @throws {OperatorError} see `VisitRecorder`.
 * @throws {LogFormatError} see `LogReader`.
 * @throws {OperatorError} when the last write fails after `signal` was aborted; the next run reads the last lines again.
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
  const fingerprintHead = createHeadFingerprinter(await visits.openVisitorKey())
  const reader = new LogReader({
    ...options,
    projects: isByHost ? await projects() : projects,
    keys: await visits.openVisitorKeys(now),
    now: now(),
  })
  const writer = new BatchWriter({ projectId: isByHost ? undefined : projects.id, log: file, visits, signal, warn })
  const position = await findPosition(file, writer, fingerprintHead)
  const follower = new LogFollower({ path: file, position, fingerprintHead, graceMs: pacing.graceMs, now, warn })
  const listProjects = isByHost ? projects : undefined
  const judge = new LogJudge(file, warn)
  const { pollMs: lookUpMs, flushMs } = pacing
  const counter = new LogCounter({ reader, writer, listProjects, lookUpMs, flushMs, judge })
  return new FollowRun(options, { reader, follower, counter, judge })
}

/**
 * Returns the position where the last run stopped. The first run stores its start position immediately, so that a
 * rotation before its first write is noticed.
 */
async function findPosition(
  path: string,
  writer: BatchWriter,
  fingerprintHead: FingerprintHead,
): Promise<FollowPosition | null> {
  const known = await writer.findPosition()
  if (known !== undefined) return parsePosition(known)
  const position = await findFirstPosition(path, fingerprintHead)
  await writer.write([], formatPosition(position))
  return position
}

interface RunParts {
  reader: LogReader
  follower: LogFollower
  counter: LogCounter
  judge: LogJudge
}

/** One run that follows a log. */
class FollowRun {
  readonly #options: FollowOptions
  readonly #pacing: FollowPacing
  readonly #reader: LogReader
  readonly #follower: LogFollower
  readonly #counter: LogCounter
  readonly #judge: LogJudge
  readonly #isStatusDue: () => boolean
  readonly #warnOfFormat: (tally: ImportTally) => void

  constructor(options: FollowOptions, { reader, follower, counter, judge }: RunParts) {
    this.#options = options
    this.#pacing = options.pacing ?? defaultPacing
    this.#reader = reader
    this.#follower = follower
    this.#counter = counter
    this.#judge = judge
    this.#isStatusDue = createDueCheck(options.statusMs ?? this.#pacing.pollMs)
    // With `once`, no warning is needed because the tally shows that nothing was read.
    this.#warnOfFormat = options.once ? () => {} : createFormatWarning(options.file, options.warn)
  }

  async readUntilEnded(): Promise<void> {
    const { signal, once, warn } = this.#options
    let lastProblem: string | undefined
    while (!signal.aborted) {
      const problem = await this.#readPieces()
      if (problem !== undefined && problem !== lastProblem) warn(problem)
      lastProblem = problem
      if (once && !this.#follower.isWaiting) break
      await pause(this.#pacing.pollMs, signal)
    }
  }

  async end(): Promise<FollowStatus> {
    await this.#counter.flush()
    this.#judgeLog()
    return this.#measure()
  }

  async close(): Promise<void> {
    await this.#follower.close()
  }

  /** Reads all existing lines. Returns the reason if the log cannot be read, otherwise undefined. */
  async #readPieces(): Promise<string | undefined> {
    const { file, signal, now = Date.now } = this.#options
    try {
      for await (const piece of this.#follower.read()) {
        await this.#counter.add(piece, now())
        await this.#afterPiece()
        if (signal.aborted) break
      }
      await this.#afterPiece()
      return (await findEntry(file)) ? undefined : `${file} does not exist yet.`
    } catch (error) {
      if (!isFileError(error)) throw error
      return `${error.message} Retrying every ${this.#pacing.pollMs / 1000} s.`
    }
  }

  async #afterPiece(): Promise<void> {
    if (await this.#counter.flushIfDue()) this.#judgeLog()
    const { onStatus } = this.#options
    if (onStatus && this.#isStatusDue()) onStatus(await this.#measure())
  }

  #judgeLog(): void {
    const { tally } = this.#reader
    this.#warnOfFormat(tally)
    // If no line at all can be read, there is a warning of its own, and nothing is counted.
    if (!isAllUnread(tally)) this.#judge.judge(this.#reader)
  }

  async #measure(): Promise<FollowStatus> {
    this.#reader.countWaiting()
    const { tally, unknownHosts } = this.#reader
    const { suspicions } = this.#judge
    return { tally, unknownHosts, aheadBytes: await this.#follower.countAheadBytes(), suspicions }
  }
}

function isFileError(error: unknown): error is Error {
  return error instanceof LogFileError || (error instanceof Error && 'syscall' in error)
}

const retryDelayMs = 100

/** Finds the start position in a log that was never followed, see `LogFinder.findBeginning`. Waits during renames. */
async function findFirstPosition(path: string, fingerprintHead: FingerprintHead): Promise<FollowPosition | null> {
  for (;;) {
    try {
      return await new LogFinder(path, fingerprintHead).findBeginning(await listLogEntries(path))
    } catch (error) {
      if (!(error instanceof RotationUnderWayError)) throw error
      await setTimeout(retryDelayMs)
    }
  }
}

/** Returns a function that returns true at most once per `everyMs`, for the first time after one interval. */
export function createDueCheck(everyMs: number): () => boolean {
  let at = performance.now()
  return () => {
    if (performance.now() - at < everyMs) return false
    at = performance.now()
    return true
  }
}

interface LogCounterOptions {
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
class LogCounter {
  readonly #options: LogCounterOptions
  readonly #isLookUpDue: () => boolean
  /** The position to write next, and the time of `performance.now()` when the first unwritten lines were read. */
  #read: { position: FollowPosition | null; since: number } | undefined

  constructor(options: LogCounterOptions) {
    this.#options = options
    this.#isLookUpDue = createDueCheck(options.lookUpMs)
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
    if (!isAllUnread(reader.tally)) await writer.write(batches, formatPosition(position))
  }
}
