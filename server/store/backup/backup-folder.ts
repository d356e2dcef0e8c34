import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../base/operator-error.ts'
import { type CheckedBackup, checkBackup } from './check-backup.ts'
import { noteBackup } from './last-backup.ts'
import { type BackupOptions, type MadeBackup, makeBackup } from './make-backup.ts'

/** A folder of backups that are named after the time of each. */
export interface BackupFolder extends Omit<BackupOptions, 'target' | 'overwrite' | 'isNoted'> {
  folder: string
  /** Number of backups that stay, the new one included; null = all. */
  keep: number | null
  onCheck(progress: { path: string; doneBytes: number }): void
}

export interface KeptBackup extends MadeBackup {
  checked: CheckedBackup
  /** Paths of the backups that were deleted, the oldest first. */
  deleted: string[]
}

const ending = '.tar.gz'
const namePattern = /^quire-\d{8}T\d{6}Z\.tar\.gz$/

/**
 * Makes a backup in the folder, checks it as a restore would, and deletes the oldest ones. A backup that is damaged is renamed, so that
 * it does not count as one of those that stay.
 *
 * @throws {OperatorError} when it cannot be made or is damaged. No backup is deleted then.
 */
export async function addBackup({ folder, keep, onCheck, ...options }: BackupFolder): Promise<KeptBackup> {
  const name = `quire-${new Date(options.now()).toISOString().replace(/[-:]|\.\d+/g, '')}${ending}`
  const made = await makeBackup({ ...options, target: join(folder, name), overwrite: false, isNoted: false })
  const checked = await checkNew(made.path, onCheck)
  const warnings = [...made.warnings, ...(await noteBackup(options.dataFolder, made.createdAt))]
  const deleted = keep === null ? [] : await deleteOldest(folder, keep)
  return { ...made, warnings, checked, deleted }
}

async function checkNew(path: string, onProgress: BackupFolder['onCheck']): Promise<CheckedBackup> {
  try {
    return await checkBackup({ source: path, onProgress })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const damaged = `${path}.damaged`
    await rename(path, damaged)
    throw new OperatorError(`${error.message} It is kept as ${damaged}, and no older backup was deleted.`, 1, {
      cause: error,
    })
  }
}

async function deleteOldest(folder: string, keep: number): Promise<string[]> {
  // The names sort by time.
  const names = (await readdir(folder)).filter(name => namePattern.test(name)).sort()
  const oldest = names.slice(0, Math.max(0, names.length - keep)).map(name => join(folder, name))
  for (const path of oldest) await rm(path)
  return oldest
}
