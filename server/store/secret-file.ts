import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import { makeFolder } from './make-folder.ts'

/** The length of every secret of a data folder. */
export const secretBytes = 32

/**
 * Reads the secret in `file`: 32 random bytes, stored beside the database and never in it. Creates the file (mode 0600) if
 * it is missing.
 *
 * @throws {OperatorError} if the file cannot be read or has another size.
 */
export function openSecret(file: string): Buffer {
  try {
    const secret = readFileSync(file)
    if (secret.length === secretBytes) return secret
    throw new OperatorError(`${file} has ${secret.length} bytes, not ${secretBytes}. Restore it from a backup.`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') {
      const message = `${file} cannot be read (${code}). Check the disk, or restore the file from a backup.`
      throw new OperatorError(message, 1, { cause: error })
    }
  }
  // Writes a draft and links it, so a killed process leaves no incomplete secret and two processes read the same secret.
  const draft = `${file}.${process.pid}`
  makeFolder(dirname(file))
  writeFileSync(draft, randomBytes(secretBytes), { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
  return openSecret(file)
}
