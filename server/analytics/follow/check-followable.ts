import { open } from 'node:fs/promises'
import { maxLineBytes } from '../import/line-reader.ts'
import { isBucketAddress } from '../import/log-bucket.ts'
import { checkLogFile, LogFileError } from '../import/log-file.ts'
import { LogReader, type LogReaderOptions } from '../import/log-reader.ts'
import { isAbsence } from './log-entries.ts'
import { readAt } from './plain-log.ts'

/** The settings for reading the log. */
export type ReadingOptions = Pick<
  LogReaderOptions,
  'projects' | 'format' | 'envelope' | 'clientField' | 'trustedProxies' | 'markdownAsAi'
>

/**
 * Refuses a file that can never be followed, or cannot be followed with these settings. Accepts a file that does not
 * exist yet.
 *
 * @throws {LogFileError} when the file is standard input, a pipe, a folder, compressed, or not readable.
 * @throws {LogFormatError} when format, client field and projects contradict each other or the first lines.
 */
export async function checkFollowable(file: string, reading: ReadingOptions): Promise<void> {
  if (file === '-') throw new LogFileError('Standard input cannot be followed. Use: npx quire visits import -')
  if (!isBucketAddress(file) && /\.(?:gz|zst|bz2|xz)$/.test(file)) {
    throw new LogFileError(`${file} is compressed, so it never grows. Use: npx quire visits import`)
  }
  // Nothing is recorded, so no visitor needs a key.
  const keys = { find: () => undefined }
  const reader = new LogReader({ ...reading, keys, now: Date.now() })
  // What its objects are is known when they are read.
  if (isBucketAddress(file)) return
  try {
    const sizeBytes = await checkLogFile(file)
    if (sizeBytes === undefined) throw new LogFileError(`${file} is not a regular file. Use: npx quire visits import`)
    reader.push(await readBeginning(file))
    // The format is detected from several lines, at the latest here.
    reader.takeBatches()
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
}

async function readBeginning(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    return await readAt(handle, 0, Buffer.alloc(maxLineBytes))
  } finally {
    await handle.close()
  }
}
