import { existsSync, rmdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { findFolderUsers } from '../folder-users.ts'
import { openScratchFolder } from '../scratch-folder.ts'
import { atTopOfDisk } from './data-files.ts'
import { placeFiles } from './place-files.ts'
import { statBackup } from './read-backup.ts'
import { type UnpackedBackup, type UnpackOptions, unpackBackup } from './unpack-backup.ts'

interface RestoreOptions extends UnpackOptions {
  /** Must be missing or empty. */
  dataFolder: string
}

interface Restored extends UnpackedBackup {
  dataFolder: string
}

/**
 * Puts the files of a backup into an empty data folder. Checks all of them first: their sizes and digests, the integrity of
 * the databases, and their schema versions. Ends the sessions of the dashboard, because one that was ended since the backup
 * must not come back.
 *
 * @throws {OperatorError} when the folder is not empty or in use, or when the backup is missing, damaged or of a newer version.
 * The data folder is then as before.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const dataFolder = resolve(options.dataFolder)
  const isNew = !existsSync(dataFolder)
  await statBackup(options.source)
  await checkUnused(dataFolder)
  makeFolder(dataFolder, 0o700)
  // Inside the data folder, because the folder above it may not be writable, and because renaming is then enough.
  const scratch = await openScratchFolder(dataFolder, 'quire-restore-')
  try {
    await checkEmpty(dataFolder, dirname(scratch.path))
    const restored = await unpackBackup(options, scratch.path)
    await checkUnused(dataFolder)
    await placeFiles(scratch.path, dataFolder, dirname(scratch.path))
    return { dataFolder, ...restored }
  } finally {
    await scratch.close()
    if (isNew) removeEmpty(dataFolder)
  }
}

/** @throws {OperatorError} when a process has files of the folder open, also files that are deleted by now. */
async function checkUnused(dataFolder: string): Promise<void> {
  const [user] = await findFolderUsers(dataFolder)
  if (user === undefined) return
  throw new OperatorError(`Process ${user} uses ${dataFolder}. Stop the server, and restore again.`)
}

async function checkEmpty(dataFolder: string, scratch: string): Promise<void> {
  const isAllowed = (name: string) => join(dataFolder, name) === scratch || name === atTopOfDisk
  const names = (await readdir(dataFolder)).filter(name => !isAllowed(name)).sort()
  if (names.length === 0) return
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  throw new OperatorError(
    `${dataFolder} is not empty: it holds ${names.slice(0, 5).join(', ')}${more}. Move it away, or choose another folder with --data.`,
  )
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It has the restored files.
  }
}
