import { execFile } from 'node:child_process'
import { chmod, chown, copyFile, link, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { flushFolder } from '../../base/flush.ts'
import { OperatorError } from '../../base/operator-error.ts'

const startTimeoutMs = 60_000

/**
 * Starts a program for the first time, before it replaces another.
 *
 * @throws {OperatorError} when it does not run on this machine, or is not the version that it should be.
 */
export async function checkProgram(file: string, version: string): Promise<void> {
  const { stdout } = await promisify(execFile)(file, ['version', '--json'], { timeout: startTimeoutMs }).catch(
    error => {
      const reason = String(error.stderr || error.message).trim()
      throw new OperatorError(`Quire ${version} does not run on this machine: ${reason}`, 1, { cause: error })
    },
  )
  const found = JSON.parse(stdout).version
  if (found !== version)
    throw new OperatorError(`The program of the release says that it is version ${found}, and not ${version}.`)
}

/**
 * Replaces a program. At each moment, its path has a whole program, also after a power cut; on Windows, which does not replace a
 * program that runs, it is missing between two renames. A server that runs goes on with the old one.
 *
 * @param next in the same folder; it takes the place of the program
 * @param previous keeps the old program; an earlier one there is replaced
 */
export async function replaceProgram(program: string, next: string, previous: string): Promise<void> {
  const { mode, uid, gid } = await stat(program)
  await chmod(next, mode)
  // Only root may give a file to others.
  await chown(next, uid, gid).catch(() => {})
  await rm(previous, { force: true })
  if (process.platform === 'win32') {
    await rename(program, previous)
    await rename(next, program).catch(async error => {
      await rename(previous, program)
      throw error
    })
  } else {
    // Some file systems have no links.
    await link(program, previous).catch(() => copyFile(program, previous))
    await rename(next, program)
  }
  await flushFolder(dirname(program))
}
