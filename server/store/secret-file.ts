import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../base/make-folder.ts'
import { OperatorError } from '../base/operator-error.ts'
import { makePrivate, privateFile, privateFolder } from './private-files.ts'

/** The length of every secret of a data folder. */
export const secretBytes = 32

/**
 * Reads the secret in `file`: 32 random bytes, stored beside the database and never in it. Creates the file if it is missing.
 * Only the user of this process can read it.
 *
 * @throws {OperatorError} if the file cannot be read or has another size.
 */
export function openSecret(file: string): Buffer {
  try {
    const secret = readFileSync(file)
    makePrivate(file)
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
  createSecret(file, randomBytes(secretBytes))
  return openSecret(file)
}

/** Stores a secret in `file`, if the file is missing. */
export function createSecret(file: string, secret: Uint8Array): void {
  // Writes a draft and links it, so a killed process leaves no incomplete secret and two processes read the same secret.
  const draft = `${file}.${process.pid}`
  makeFolder(dirname(file), privateFolder)
  // Flushed, because a power cut could otherwise leave an empty file under the final name.
  writeFileSync(draft, secret, { mode: privateFile, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}
