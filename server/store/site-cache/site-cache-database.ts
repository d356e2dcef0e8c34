import Database from 'better-sqlite3'
import { readAsset } from '../../assets.ts'

/** Raised with every change of the tables or of what stands in them. */
const version = 2

/** Whether an error says that the content is of no use, as opposed to the disk. */
export function isUseless(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code ?? '')
  return error instanceof OtherVersion || /^SQLITE_(NOTADB|CORRUPT|ERROR|CONSTRAINT|FORMAT)/.test(code)
}

class OtherVersion extends Error {}

/**
 * Opens the database of a memory, locked as long as it is open. The caller closes it.
 *
 * @throws {Error} `isUseless` tells what kind; SQLITE_BUSY when somebody else has it open.
 */
export function openSiteCacheDatabase(file: string): Database.Database {
  const database = new Database(file, { timeout: 0 })
  try {
    // The file is locked as long as it is open: two exports never share a memory.
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = WAL')
    // A power cut may cost the last writes, never the order of them; all of it can be fetched again.
    database.pragma('synchronous = NORMAL')
    database.exec('BEGIN IMMEDIATE; COMMIT')
    const found = database.pragma('user_version', { simple: true })
    if (found === 0) {
      database.exec(readAsset('server/store/site-cache/site-cache.sql'))
      database.pragma(`user_version = ${version}`)
    } else if (found !== version) throw new OtherVersion()
    if (database.pragma('quick_check(1)', { simple: true }) !== 'ok') throw new OtherVersion()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
