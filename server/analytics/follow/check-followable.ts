import { open } from 'node:fs/promises'
import { longestLineBytes } from '../import/line-splitter.ts'
import { checkLogFile, LogFileError } from '../import/log-file.ts'
import { LogReader, type LogReaderOptions } from '../import/log-reader.ts'
import { isAbsence } from './log-entries.ts'
import { readAt } from './plain-log.ts'

/** How the log will be read. */
export type ReadingOptions = Pick<LogReaderOptions, 'projects' | 'format' | 'clientField' | 'trustedProxies'>

/**
 * Refuses what can never be followed, or not as it is said to be read. A file that is not there yet can.
 *
 * @throws {LogFileError} when it is standard input, a pipe, a folder, compressed, or may not be read.
 * @throws {LogFormatError} when format, client field and projects do not go together, or the first lines say that they do not.
 */
export async function checkFollowable(file: string, reading: ReadingOptions): Promise<void> {
  if (file === '-') throw new LogFileError('Standard input has no place to go on. Use: quire visits import -')
  if (/\.(?:gz|zst|bz2|xz)$/.test(file)) {
    throw new LogFileError(`${file} is compressed, so nothing is added to it. Use: quire visits import`)
  }
  const reader = new LogReader({ ...reading, secret: Buffer.alloc(32), now: Date.now() })
  try {
    const sizeBytes = await checkLogFile(file)
    if (sizeBytes === undefined) throw new LogFileError(`${file} is no regular file. Use: quire visits import`)
    reader.push(await readBeginning(file))
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
}

async function readBeginning(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    return await readAt(handle, 0, Buffer.alloc(longestLineBytes))
  } finally {
    await handle.close()
  }
}
