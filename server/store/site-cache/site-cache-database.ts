import Database from 'better-sqlite3'
import { readAsset } from '../../assets.ts'
import { createPrivateFile } from '../private-files.ts'

/** Increased with every change to the tables or their content. */
const version = 2

/** Decides whether an error means that the content is unusable, as opposed to a disk problem. */
export function isUseless(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code ?? '')
  return error instanceof OtherVersion || /^SQLITE_(NOTADB|CORRUPT|ERROR|CONSTRAINT|FORMAT)/.test(code)
}

class OtherVersion extends Error {}

/**
 * Opens the database of a site cache and locks it while it is open. The caller closes it.
 *
 * @throws {Error} see `isUseless`; SQLITE_BUSY if another process has it open.
 */
export function openSiteCacheDatabase(file: string): Database.Database {
  createPrivateFile(file)
  const database = new Database(file, { timeout: 0 })
  try {
    // The file is locked while it is open, so two exports never share a cache.
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = WAL')
    // A power cut may lose the last writes but does not reorder them. Lost answers are fetched again.
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
