import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { OperatorError } from '../base/operator-error.ts'
import { privateFile } from '../store/private-files.ts'
import { parseRecordedLogin, type RecordedLogin } from '../web/login/recorded-login.ts'

/**
 * Reads the login of `--session`. Like the private key of ssh, the file is not encrypted, and it is refused if others can read it: a
 * key in the environment of the same user would protect it from nobody else.
 *
 * @throws {OperatorError} with exit code 2.
 */
export async function readLoginFile(file: string): Promise<RecordedLogin> {
  try {
    const { mode } = await stat(file)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new OperatorError(`--session ${file} can be read by other users. Run: chmod 600 ${file}`, 2)
    return parseRecordedLogin(await readFile(file, 'utf8'), `--session ${file}`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(
      `--session ${file} cannot be read (${code}). Record a login first with: npx quire login URL --session ${file}`,
      2,
    )
  }
}

/** Writes a login to a file that only its owner can read. */
export async function writeLoginFile(file: string, login: RecordedLogin): Promise<void> {
  const draft = `${file}.${process.pid}`
  try {
    await writeFile(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: privateFile, flag: 'wx' })
    await rename(draft, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(
      `--session ${file} cannot be written (${code}). Name a file in a folder that you may write to.`,
    )
  }
}
