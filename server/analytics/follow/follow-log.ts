import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ImportTally } from '../import/import-tally.ts'
import { LogFileError } from '../import/log-file.ts'
import { LogReader, type LogReaderOptions, type VisitedProject } from '../import/log-reader.ts'
import type { VisitRecorder } from '../unique-visitors.ts'
import { BatchWriter } from './batch-writer.ts'
import { type FollowPosition, parsePosition } from './follow-position.ts'
import { createPrintHead, type PrintHead } from './head-print.ts'
import { findEntry, listLogEntries, RotationUnderWayError } from './log-entries.ts'
import { LogFinder } from './log-finder.ts'
import { LogFollower } from './log-follower.ts'
import { pause } from './pause.ts'

export interface FollowOptions extends Pick<LogReaderOptions, 'format' | 'clientField' | 'trustedProxies'> {
  /** Path of a log that is not compressed; it may not be there yet. */
  file: string
  project: VisitedProject
  visits: Pick<VisitRecorder, 'recordBatch' | 'findLogPosition' | 'openVisitorKey'>
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
 * @throws {VisitorKeyError} see `VisitRecorder`.
 * @throws {LogFormatError} see `LogReader`.
 * @throws {VisitsNotWrittenError} after `signal` was aborted: the next follow reads the last lines again.
 */
export async function followAccessLog(options: FollowOptions): Promise<FollowStatus> {
  const { project, visits, signal, warn, pacing = defaultPacing, now = Date.now } = options
  const path = resolve(options.file)
  const key = await visits.openVisitorKey()
  const printHead = createPrintHead(key)
  const reader = new LogReader({ ...options, projects: project, secret: key, now: now() })
  const writer = new BatchWriter({ projectId: project.id, log: path, visits, signal, warn })
  const begun = await findPosition(path, options, printHead, writer)
  const follower = new LogFollower({ path, position: begun, printHead, graceMs: pacing.graceMs, now, warn })
  const isStatusDue = createClock(options.statusMs ?? pacing.pollMs)

  // Whoever runs it once sees in the tally that nothing was read.
  const warnOfFormat = options.once ? () => {} : createFormatWarning(path, reader, warn)

  let read: { position: FollowPosition | null; since: number } | undefined
  const flush = async () => {
    if (!read) return
    const { position } = read
    read = undefined
    // What no format fits stays unread: the next run, told the right one, begins with it.
    if (!isAllUnread(reader.tally)) await writer.write(reader.takeBatches(), position)
    warnOfFormat()
  }
  const measure = async () => ({ tally: reader.tally, aheadBytes: await follower.countAheadBytes() })
  const afterPiece = async () => {
    const isOld = read && performance.now() - read.since >= pacing.flushMs
    if (isOld || reader.isFull) await flush()
    if (options.onStatus && isStatusDue()) options.onStatus(await measure())
  }
  /** What keeps the log from being read, if anything does. */
  const readPieces = async (): Promise<string | undefined> => {
    try {
      for await (const { bytes, startsAnew, header, position } of follower.read()) {
        if (startsAnew) reader.startFile(header)
        reader.setNow(now())
        reader.push(bytes)
        read = { position, since: read?.since ?? performance.now() }
        await afterPiece()
        if (signal.aborted) break
      }
      await afterPiece()
      return (await findEntry(path)) ? undefined : `There is no ${path} yet.`
    } catch (error) {
      if (!isFileError(error)) throw error
      return `${error.message} It is tried again every ${pacing.pollMs / 1000} s.`
    }
  }

  try {
    let said: string | undefined
    while (!signal.aborted) {
      const problem = await readPieces()
      if (problem !== undefined && problem !== said) warn(problem)
      said = problem
      if (options.once && !follower.isWaiting) break
      await pause(pacing.pollMs, signal)
    }
    await flush()
    return await measure()
  } finally {
    await follower.close()
  }
}

/** Where the last follow left off; where the first one begins is noted at once, or a rotation before its first line would be lost. */
async function findPosition(
  path: string,
  { project, visits }: FollowOptions,
  printHead: PrintHead,
  writer: BatchWriter,
): Promise<FollowPosition | null> {
  const known = await visits.findLogPosition(project.id, path)
  if (known !== undefined) return parsePosition(known)
  const position = await findBeginning(path, printHead)
  await writer.write([], position)
  return position
}

async function findBeginning(path: string, printHead: PrintHead): Promise<FollowPosition | null> {
  for (;;) {
    try {
      return await new LogFinder(path, printHead).findBeginning(await listLogEntries(path))
    } catch (error) {
      if (!(error instanceof RotationUnderWayError)) throw error
      await setTimeout(100)
    }
  }
}

const enoughLines = 100

/** Says once that all lines so far are in another format. Not of the first few: they may be what a server says as it starts. */
function createFormatWarning(path: string, reader: LogReader, warn: (message: string) => void): () => void {
  let isSaid = false
  return () => {
    if (isSaid || reader.tally.lines < enoughLines || !isAllUnread(reader.tally)) return
    isSaid = true
    warn(describeUnread(path, reader.tally))
  }
}

/** Whether there are lines, and not one is in a format that is known: then no position is kept. */
export function isAllUnread({ lines, malformed }: ImportTally): boolean {
  return lines > 0 && malformed['wrong-format'] + malformed['too-long'] === lines
}

/** Of a log that `isAllUnread`, for the operator. */
export function describeUnread(log: string, { lines }: ImportTally): string {
  return `${log}: not one of ${lines} lines is in a format that is known. See the flag for the format in --help: the next start reads them again.`
}

function isFileError(error: unknown): error is Error {
  return error instanceof LogFileError || (error instanceof Error && 'syscall' in error)
}

function createClock(everyMs: number): () => boolean {
  let at = performance.now()
  return () => {
    if (performance.now() - at < everyMs) return false
    at = performance.now()
    return true
  }
}
