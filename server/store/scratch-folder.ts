import { lstatSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** A temporary folder of one process. Other processes do not remove it while this one runs. */
export interface ScratchFolder {
  /** Does not exist yet. */
  path: string
  close(): Promise<void>
}

const prefix = 'quire-export-'
const ownName = /^quire-export-[A-Za-z0-9]{6}$/
const lockName = 'owner.lock'
const contentName = 'site'

/**
 * Opens a temporary folder below `parent`, and removes those of killed exports. A lock file marks a folder as in use: the lock
 * ends with its process, and other containers on the same disk see it too.
 *
 * @throws {Error} of the file system when the folder cannot be written to.
 */
export async function openScratchFolder(parent: string): Promise<ScratchFolder> {
  await sweep(parent)
  for (;;) {
    const folder = await mkdtemp(join(parent, prefix))
    const lock = own(folder)
    // Another export may have swept the folder before it was locked.
    if (lock === 'lost') continue
    return {
      path: join(folder, contentName),
      close: () => remove(folder, lock),
    }
  }
}

/** Locks a new folder. Null where files cannot be locked; such a folder is never swept. 'lost' = another process took it. */
function own(folder: string): Database.Database | null | 'lost' {
  const file = join(folder, lockName)
  let lock: Database.Database | undefined
  try {
    lock = new Database(file, { timeout: 0 })
    const { ino: inode } = lstatSync(file)
    hold(lock)
    // The locked file may have been removed meanwhile.
    if (lstatSync(file).ino === inode) return lock
    lock.close()
    return 'lost'
  } catch (error) {
    lock?.close()
    const { code = '' } = error as { code?: string }
    return code.startsWith('SQLITE_BUSY') || code === 'ENOENT' ? 'lost' : null
  }
}

/** SQLite locks a file without writing to it, and keeps the lock while this process opens the file elsewhere. */
function hold(lock: Database.Database): void {
  // Otherwise a journal file would be created beside it.
  lock.pragma('journal_mode = MEMORY')
  lock.exec('BEGIN EXCLUSIVE')
}

/** Removes the folders of exports whose process has ended. Folders of others, and folders in use, stay. */
async function sweep(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter(name => ownName.test(name))) await sweepFolder(join(parent, name)).catch(() => {})
}

async function sweepFolder(folder: string): Promise<void> {
  const file = join(folder, lockName)
  if (!isOurs(folder) || !isOurs(file)) return
  const content = await readdir(folder)
  if (!lstatSync(folder).isDirectory() || !lstatSync(file).isFile()) return
  if (content.some(name => name !== lockName && name !== contentName)) return
  const lock = new Database(file, { timeout: 0, fileMustExist: true })
  try {
    hold(lock)
  } catch (error) {
    lock.close()
    throw error
  }
  await remove(folder, lock)
}

/** Whether this user owns the path itself; links are not followed. */
function isOurs(path: string): boolean {
  const { uid } = lstatSync(path)
  return process.getuid === undefined || uid === process.getuid()
}

/** Removes the content first and the lock last, so that a sweep finds a folder that was removed halfway. */
async function remove(folder: string, lock: Database.Database | null): Promise<void> {
  try {
    await rm(join(folder, contentName), { recursive: true, force: true, maxRetries: 3 })
  } finally {
    lock?.close()
  }
  await rm(folder, { recursive: true, force: true })
}
