import { join } from 'node:path'
import Database from 'better-sqlite3'

/**
 * Locks a folder for this process, through SQLite. The lock ends with the process, and other containers on the same disk see it
 * too. Where files cannot be locked, nothing is locked.
 *
 * @return null = another process has the lock; otherwise a function that ends it.
 */
export function lockFolder(folder: string): (() => void) | null {
  let lock: Database.Database | undefined
  try {
    const opened = new Database(join(folder, 'owner.lock'), { timeout: 0 })
    lock = opened
    // Any other mode would create a journal file beside the lock file.
    opened.pragma('journal_mode = MEMORY')
    opened.exec('BEGIN EXCLUSIVE')
    return () => void opened.close()
  } catch (error) {
    lock?.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null
    return () => {}
  }
}
