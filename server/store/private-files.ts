import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Modes of what only the user of the server may read. */
export const privateFolder = 0o700
export const privateFile = 0o600

/** The permissions of the group and of other users. */
const others = 0o077

/**
 * Creates an empty file that only its owner can read, so that no other user can open it before its content is written. Keeps
 * an existing file.
 */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', privateFile))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Takes the permissions of group and others from a file or folder, if it exists. Keeps those of the owner. */
export function makePrivate(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats || (stats.mode & others) === 0) return
  try {
    chmodSync(path, stats.mode & (stats.isDirectory() ? privateFolder : privateFile))
  } catch (error) {
    if (!isForeign(error)) throw error
  }
}

/**
 * Makes everything in a folder private, down to `depth` levels. Skips symbolic links, because their targets do not belong to
 * Quire.
 */
export async function makeContentPrivate(folder: string, depth = 1): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile() && !entry.isDirectory()) continue
    const path = join(folder, entry.name)
    try {
      const { mode } = await lstat(path)
      if ((mode & others) !== 0) await chmod(path, mode & (entry.isDirectory() ? privateFolder : privateFile))
    } catch (error) {
      // The file may have been removed in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !isForeign(error)) throw error
    }
    if (entry.isDirectory() && depth > 1) await makeContentPrivate(path, depth - 1)
  }
}

/** Whether another user owns the file, or the file system has no permissions or is read-only. */
function isForeign(error: unknown): boolean {
  return ['EPERM', 'EROFS', 'ENOTSUP'].includes(String((error as NodeJS.ErrnoException).code))
}
