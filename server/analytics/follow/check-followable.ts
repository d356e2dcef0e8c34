import { checkLogFile, LogFileError } from '../import/log-file.ts'
import { isAbsence } from './log-entries.ts'

/**
 * Refuses what can never be followed. A file that is not there yet can.
 *
 * @throws {LogFileError} when it is standard input, a pipe, a folder, compressed, or may not be read.
 */
export async function checkFollowable(file: string): Promise<void> {
  if (file === '-') throw new LogFileError('Standard input has no place to go on. Use: quire visits import -')
  if (/\.(?:gz|zst|bz2|xz)$/.test(file)) {
    throw new LogFileError(`${file} is compressed, so nothing is added to it. Use: quire visits import`)
  }
  try {
    const sizeBytes = await checkLogFile(file)
    if (sizeBytes === undefined) throw new LogFileError(`${file} is no regular file. Use: quire visits import`)
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
}
