import type { Project } from '../../tenancy/project.ts'
import type { VisitRecorder } from '../unique-visitors.ts'
import { toViewBatch } from '../view-batch.ts'
import { createVisitorHash } from '../visitor.ts'
import { emptyTally, type ImportTally } from './import-tally.ts'
import { LineReader } from './line-reader.ts'
import { LineSplitter } from './line-splitter.ts'
import { openLogFile } from './log-file.ts'

export interface ImportProgress {
  lines: number
  /** Bytes of this file read so far, and its size where that is known, both before decompression. */
  readBytes: number
  sizeBytes: number | undefined
}

export interface ImportOptions {
  /** Path of a combined access log, plain or compressed by gzip; `-` = standard input. */
  file: string
  project: Pick<Project, 'id' | 'visitorSaltRotation'>
  visits: VisitRecorder
  /** Milliseconds since 1970. */
  now?: () => number
  /** Where to go on counting, for several files in a row. */
  tally?: ImportTally
  onProgress?: (progress: ImportProgress) => void
}

/** Small enough that a request never waits long for the database: some 50 ms on the machine where this was measured. */
const viewsPerTransaction = 10_000

/**
 * Counts the visits of an access log for a project. A repeated import changes nothing, so a file that was read in part, or
 * is still being written, can be imported again.
 *
 * @throws {LogFileError} when the file cannot be read, or not to its end: what came before is imported, and in `tally`.
 * @throws {VisitorKeyError} see `VisitRecorder`.
 */
export async function importAccessLog({
  file,
  project,
  visits,
  now = Date.now,
  tally = emptyTally(),
  onProgress,
}: ImportOptions): Promise<ImportTally> {
  const log = await openLogFile(file)
  const hash = createVisitorHash(await visits.openVisitorKey(), project.visitorSaltRotation)
  const reader = new LineReader(tally, hash, now())
  const splitter = new LineSplitter(reader.read, reader.countTooLong)
  const record = async () => {
    const views = reader.takeViews()
    if (views.length === 0) return
    const { newVisitorDays, tooOldViews } = await visits.recordBatch(project.id, toViewBatch(views))
    tally.newVisitorDays += newVisitorDays
    tally.tooOldViews += tooOldViews
  }
  try {
    for await (const chunk of log.chunks) {
      splitter.push(chunk)
      if (reader.viewCount >= viewsPerTransaction) await record()
      onProgress?.({ lines: tally.lines, readBytes: log.readBytes(), sizeBytes: log.sizeBytes })
    }
    splitter.end()
  } finally {
    await record()
  }
  return tally
}
