import { access, constants, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A file cannot be written. Another request would not help. */
export class WriteError extends Error {
  override readonly name = 'WriteError'
}

/**
 * Checks that a bundle can be written to the file, before anything is requested.
 *
 * @throws {WriteError} with a sentence that names the file
 */
export async function checkTarget(file: string): Promise<void> {
  if (file === '') throw new WriteError('file is empty. Name the file for the bundle.')
  if (/[\\/]$/.test(file) || (await isFolder(file))) throw new WriteError(`${file} is a folder. Name a file in it.`)
  if (!(await isFolder(dirname(file)))) {
    throw new WriteError(`The folder ${dirname(file)} does not exist. Create it, or name another file.`)
  }
  if (await isFolder(`${file}.part`)) {
    throw new WriteError(
      `${file}.part is a folder, and the bundle is written there until it is whole. Remove it, or name another file.`,
    )
  }
  await writing(file, () => access(dirname(file), constants.W_OK))
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}

/**
 * Runs a step that writes.
 *
 * @throws {WriteError} with a sentence that names the file, and with the error of the system as its cause
 */
export async function writing<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw new WriteError(`${file} cannot be written: ${describe(cause as NodeJS.ErrnoException)}.`, { cause })
  }
}

function describe({ code = '', message }: NodeJS.ErrnoException): string {
  const reasons: Record<string, string> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the quota of this user is used up',
    EACCES: 'this user may not write there',
    EPERM: 'this user may not write there',
    EROFS: 'the disk is read-only',
    EISDIR: 'there is a folder of this name',
    EMFILE: 'too many files are open',
  }
  return reasons[code] ? `${reasons[code]} (${code})` : message
}

/** Moves the whole bundle to its place. */
export function moveTo(file: string, part: string): Promise<void> {
  return writing(file, () => rename(part, file))
}
