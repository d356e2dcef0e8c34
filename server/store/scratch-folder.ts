import { existsSync, lstatSync } from 'node:fs'
import { mkdtemp, readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** A temporary folder of one process. Other processes do not remove the folder while this process runs. */
export interface ScratchFolder {
  /** Does not exist yet. */
  path: string
  close(): Promise<void>
}

const exportPrefix = 'quire-export-'
const lockName = 'owner.lock'
const contentName = 'site'

/**
 * Opens a temporary folder below `parent`, and removes the folders of killed processes. A lock file marks a folder as in use.
 * The lock ends with its process, and other containers on the same disk see it too.
 *
 * @param prefix of the folder's name. Only folders with this prefix are removed.
 * @throws {Error} from the file system if the folder cannot be written.
 */
export async function openScratchFolder(parent: string, prefix = exportPrefix): Promise<ScratchFolder> {
  await sweepScratchFolders(parent, prefix)
  for (;;) {
    const folder = await mkdtemp(join(parent, prefix))
    const lock = own(folder)
    // Another export may have removed the folder before it was locked.
    if (lock === 'lost') continue
    return {
      path: join(folder, contentName),
      close: () => remove(folder, lock),
    }
  }
}

/**
 * Locks a new folder. Returns null where files cannot be locked; such a folder is never removed by other exports. Returns
 * 'lost' if another process took the folder.
 */
function own(folder: string): Database.Database | null | 'lost' {
  const file = join(folder, lockName)
  let lock: Database.Database | undefined
  try {
    lock = new Database(file, { timeout: 0 })
    const { ino: inode } = lstatSync(file)
    hold(lock)
    // The locked file may have been removed in the meantime.
    if (lstatSync(file).ino === inode) return lock
    lock.close()
    return 'lost'
  } catch (error) {
    lock?.close()
    const { code = '' } = error as { code?: string }
    return code.startsWith('SQLITE_BUSY') || code === 'ENOENT' || !existsSync(folder) ? 'lost' : null
  }
}

/** Locks a file through SQLite without writing to it. The lock stays while this process opens the file elsewhere. */
function hold(lock: Database.Database): void {
  // Any other mode would create a journal file beside the lock file.
  lock.pragma('journal_mode = MEMORY')
  lock.exec('BEGIN EXCLUSIVE')
}

/** Removes the folders whose process has ended. Folders of other users and folders in use stay. */
export async function sweepScratchFolders(parent: string, prefix: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  const isOwn = (name: string) => name.startsWith(prefix) && /^[A-Za-z0-9]{6}$/.test(name.slice(prefix.length))
  for (const name of names.filter(isOwn)) await sweepFolder(join(parent, name)).catch(() => {})
}

async function sweepFolder(folder: string): Promise<void> {
  const file = join(folder, lockName)
  if (!isOurs(folder)) return
  const content = await readdir(folder)
  // Its process was killed before it made the lock, or after it removed the lock. Fails if the lock is made meanwhile.
  if (content.length === 0) return rmdir(folder)
  if (!isOurs(file)) return
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

/** Decides whether this user owns the path itself. Links are not followed. */
function isOurs(path: string): boolean {
  const { uid } = lstatSync(path)
  return process.getuid === undefined || uid === process.getuid()
}

/** Removes the content first and the lock last, so a later sweep finds a partly removed folder. */
async function remove(folder: string, lock: Database.Database | null): Promise<void> {
  try {
    await rm(join(folder, contentName), { recursive: true, force: true, maxRetries: 3 })
  } finally {
    lock?.close()
  }
  await rm(folder, { recursive: true, force: true })
}
