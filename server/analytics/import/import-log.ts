import type { LogFormat } from '../formats/log-format.ts'
import type { VisitRecorder } from '../unique-visitors.ts'
import type { ImportTally } from './import-tally.ts'
import { LogFileError, type LogSource, openLogFile, openLogSource } from './log-file.ts'
import { LogReader } from './log-reader.ts'
import { countUnread, findSuspicions, isUnread, type Suspicion } from './suspicions.ts'
import { RecordUnpacker } from './unpack-records.ts'
import type { VisitedProject } from './visited-projects.ts'

/** How often the views of a pipe are recorded. */
const pipePauseMs = 2000

export interface ImportProgress {
  /** Lines of this file read so far. */
  lines: number
  /** Bytes of this file read so far, before decompression. */
  readBytes: number
  /** Size of the file before decompression; undefined = unknown. */
  sizeBytes: number | undefined
}

export interface ImportOptions {
  /** Path of an access log, uncompressed or compressed, see `openLogFile`; `-` = standard input. */
  file: string
  /** The bytes of the log; undefined = those of the file. */
  source?: LogSource | undefined
  /** Use the same reader for all logs, so that its caches are reused. */
  reader: LogReader
  visits: Pick<VisitRecorder, 'recordBatch'>
  onProgress?: (progress: ImportProgress) => void
}

/** The result of importing one file. */
export interface ImportedFile {
  file: string
  /** Undefined when no line was in a known format. */
  format: string | undefined
  /** The envelope around the lines, such as `syslog`; undefined when there is none. */
  envelope: string | undefined
  lines: number
  /** Lines that are not in the log's format, have no client, or are too long. */
  unreadLines: number
  /** Needed fields that no line had, see `LineParser.missingFields`; undefined when there are none. */
  missingFields: readonly string[] | undefined
  /** Whether the log has lines, but none except comments could be read. */
  isUnread: boolean
  /** NULs that were skipped before lines; undefined = none. */
  nulBytes: number | undefined
  /** Page views whose client is what a known proxy sent, by the owner of the proxy; undefined when there are none. */
  forwardedViews: Readonly<Record<string, number>> | undefined
  /** Reasons to believe that the counts are wrong. */
  suspicions: Suspicion[]
  /** Why the file could not be read to its end; undefined when it was. */
  problem: string | undefined
}

/**
 * Counts the visits of an access log. A repeated import changes nothing, so a partly read or still growing file can be
 * imported again.
 *
 * A damaged file is read up to the damage; `problem` describes it.
 *
 * @throws {LogFormatError} see `LogReader`.
 */
export async function importLog({ file, source, reader, visits, onProgress }: ImportOptions): Promise<ImportedFile> {
  const before = countLines(reader)
  let problem: string | undefined
  try {
    reader.startFile()
    const records = new RecordUnpacker(bytes => reader.push(bytes))
    const log = source ? openLogSource(file, source) : await openLogFile(file)
    // A pipe cannot be read again if its end is lost, and may stay open for days.
    const chunks = log.sizeBytes === undefined ? withPauses(log.chunks, pipePauseMs) : log.chunks
    for await (const chunk of chunks) {
      if (chunk !== undefined) records.push(chunk)
      if (reader.isFull || chunk === undefined) await recordViews(reader, visits)
      onProgress?.({ lines: reader.lines - before.lines, readBytes: log.readBytes(), sizeBytes: log.sizeBytes })
    }
    const damage = records.end()
    if (damage !== undefined) throw new LogFileError(`${file === '-' ? 'Standard input' : file}: ${damage}`)
    reader.endFile()
  } catch (error) {
    if (!(error instanceof LogFileError)) throw error
    problem = error.message
    reader.endDamagedFile()
  }
  const { lines, unread } = countLines(reader)
  const unreadLines = unread - before.unread
  const isRead = lines - before.lines > unreadLines
  const { evidence } = reader
  return {
    file,
    format: isRead ? reader.format?.name : undefined,
    envelope: isRead ? reader.envelope?.name : undefined,
    lines: lines - before.lines,
    unreadLines,
    missingFields: reader.missingFields.length > 0 ? reader.missingFields : undefined,
    isUnread: isUnread(evidence),
    nulBytes: evidence.nulBytes > 0 ? evidence.nulBytes : undefined,
    forwardedViews: evidence.viewed.forwarded.size > 0 ? Object.fromEntries(evidence.viewed.forwarded) : undefined,
    suspicions: findSuspicions(evidence),
    problem,
  }
}

/** Yields the chunks, and undefined after each time of this length, also while no chunk arrives. */
async function* withPauses(chunks: AsyncIterable<Buffer>, everyMs: number): AsyncGenerator<Buffer | undefined> {
  const iterator = chunks[Symbol.asyncIterator]()
  let isDue = false
  let wake = () => undefined as unknown
  const timer = setInterval(() => {
    isDue = true
    wake()
  }, everyMs)
  try {
    let next = iterator.next()
    for (;;) {
      const due = new Promise<undefined>(resolve => {
        wake = () => resolve(undefined)
      })
      const result = await Promise.race([next, due])
      if (result?.done) return
      if (result) {
        yield result.value
        next = iterator.next()
        // It is awaited above, unless the reader of the chunks fails before.
        next.catch(() => undefined)
      }
      if (!isDue) continue
      isDue = false
      yield undefined
    }
  } finally {
    clearInterval(timer)
    // Not awaited, because the next chunk of a pipe may never come.
    void iterator.return?.()
  }
}

function countLines({ tally: { lines, malformed } }: LogReader) {
  return { lines, unread: countUnread(malformed) }
}

/** Records all views not recorded yet, and returns how many were not known. Call it after the last log. */
export async function recordViews(reader: LogReader, visits: Pick<VisitRecorder, 'recordBatch'>): Promise<number> {
  let newViews = 0
  for (const { project, tally, batch } of reader.takeBatches()) {
    const recorded = await visits.recordBatch(project.id, batch)
    tally.newVisitorDays += recorded.newVisitorDays
    tally.tooOldViews += recorded.tooOldViews
    newViews += recorded.newViews
  }
  return newViews
}

export interface ImportAccessLogOptions extends Pick<ImportOptions, 'file' | 'onProgress'> {
  project: VisitedProject
  visits: VisitRecorder
  format?: LogFormat
  /** Milliseconds since 1970. */
  now?: () => number
}

/**
 * Counts the visits of one access log for one project.
 *
 * @throws {LogFileError} when the file cannot be read to its end; the lines before the problem are imported.
 * @throws {OperatorError} see `VisitRecorder`.
 */
export async function importAccessLog(options: ImportAccessLogOptions): Promise<ImportTally> {
  const { project, visits, format, now = Date.now } = options
  const reader = new LogReader({ projects: project, keys: await visits.openVisitorKeys(now), now: now(), format })
  const { problem } = await importLog({ ...options, reader })
  await recordViews(reader, visits)
  if (problem !== undefined) throw new LogFileError(problem)
  return reader.tally
}
