import { tmpdir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { openScratchFolder } from '../scratch-folder.ts'
import { statBackup } from './read-backup.ts'
import { type UnpackedBackup, unpackBackup } from './unpack-backup.ts'

export interface CheckedBackup extends Omit<UnpackedBackup, 'endedSessions'> {
  path: string
}

/**
 * Unpacks a backup into a scratch folder beside it, with all the checks of a restore, and removes the folder. Where the backup is on
 * a read-only disk, the scratch folder is in the temporary folder of the system.
 *
 * @throws {OperatorError} when the backup is missing, damaged or of a newer version.
 */
export async function checkBackup(options: {
  source: string
  onProgress(progress: { path: string; doneBytes: number }): void
}): Promise<CheckedBackup> {
  const path = resolve(options.source)
  await statBackup(path)
  const prefix = 'quire-check-'
  const scratch = await openScratchFolder(dirname(path), prefix).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EROFS') throw error
    return openScratchFolder(tmpdir(), prefix)
  })
  try {
    const { endedSessions: _, ...unpacked } = await unpackBackup({ ...options, source: path }, scratch.path)
    return { path, ...unpacked }
  } finally {
    await scratch.close()
  }
}
