import { lstatSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Scratch space of one process, which nobody else removes as long as the process lives. */
export interface ScratchFolder {
  /** Not there yet. */
  path: string
  close(): Promise<void>
}

const prefix = 'quire-export-'
const ownName = /^quire-export-[A-Za-z0-9]{6}$/
const lockName = 'owner.lock'
const contentName = 'site'

/**
 * Opens scratch space in a folder, and removes there what exports left that were killed. Whose it is says a lock that
 * ends with its process, however that ends, and that other containers on the same disk see, too.
 *
 * @throws {Error} of the file system when the folder cannot be written to.
 */
export async function openScratchFolder(parent: string): Promise<ScratchFolder> {
  await sweep(parent)
  for (;;) {
    const folder = await mkdtemp(join(parent, prefix))
    const lock = own(folder)
    // Between these two lines another export may have taken it for one that was left.
    if (lock === 'lost') continue
    return {
      path: join(folder, contentName),
      close: () => remove(folder, lock),
    }
  }
}

/** The lock of a new folder; null where no file can be locked, and then the folder is never swept. */
function own(folder: string): Database.Database | null | 'lost' {
  const file = join(folder, lockName)
  let lock: Database.Database | undefined
  try {
    lock = new Database(file, { timeout: 0 })
    const { ino: inode } = lstatSync(file)
    hold(lock)
    // The file that is locked may be one that was removed.
    if (lstatSync(file).ino === inode) return lock
    lock.close()
    return 'lost'
  } catch (error) {
    lock?.close()
    const { code = '' } = error as { code?: string }
    return code.startsWith('SQLITE_BUSY') || code === 'ENOENT' ? 'lost' : null
  }
}

/** SQLite locks a file without a write to it, and guards the lock from other uses of the file in this process. */
function hold(lock: Database.Database): void {
  // Else a journal would lie beside it.
  lock.pragma('journal_mode = MEMORY')
  lock.exec('BEGIN EXCLUSIVE')
}

/** Removes what exports left here whose process is gone; what anybody else made or uses stays. */
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

/** Whether this user made it; a link that somebody put there is not followed. */
function isOurs(path: string): boolean {
  const { uid } = lstatSync(path)
  return process.getuid === undefined || uid === process.getuid()
}

/** The lock last: a folder that is removed by half is found again. */
async function remove(folder: string, lock: Database.Database | null): Promise<void> {
  try {
    await rm(join(folder, contentName), { recursive: true, force: true, maxRetries: 3 })
  } finally {
    lock?.close()
  }
  await rm(folder, { recursive: true, force: true })
}
