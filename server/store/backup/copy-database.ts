import { open, rm } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { OperatorError } from '../../base/operator-error.ts'
import { explainUnreadable, findProblem, openUnchanged } from '../open-unchanged.ts'
import { readSpan, type SchemaSpan } from '../schema-span.ts'

/** Pages that are copied before the progress is shown again: 16 MB at 4 KB a page. */
const pagesAtATime = 4096

export interface CopyProgress {
  /** From 0 to 1. */
  onProgress(share: number): void
  pagesAtATime?: number
}

/**
 * Copies a database that other processes may write at the same time. The copy has the state of one instant, is one complete
 * file, and was checked. Returns its schema.
 *
 * @param copy must not exist.
 * @throws {OperatorError} when the database cannot be read or is damaged.
 */
export async function copyDatabase(file: string, copy: string, progress: CopyProgress): Promise<SchemaSpan> {
  const source = openUnchanged(file)
  try {
    // The copy is private from the beginning; SQLite itself would create it readable for everyone.
    await (await open(copy, 'wx', 0o600)).close()
    // Holds one state of the database. Otherwise each write of another process would start the copy again from the first
    // page. Writers do not wait for it.
    source.exec('BEGIN')
    source.prepare('SELECT count(*) FROM sqlite_schema').get()
    await source.backup(copy, {
      progress({ totalPages, remainingPages }) {
        progress.onProgress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages)
        return progress.pagesAtATime ?? pagesAtATime
      },
    })
    return checkCopy(file, copy)
  } catch (error) {
    await rm(copy, { force: true })
    throw explainUnreadable(file, error)
  } finally {
    source.close()
  }
}

function checkCopy(file: string, copy: string): SchemaSpan {
  const database = new Database(copy, { fileMustExist: true })
  try {
    // The copy of a database with a WAL would need a second file as soon as it is opened.
    database.pragma('journal_mode = DELETE')
    const problem = findProblem(database, 'quick_check')
    if (problem !== null) {
      throw new OperatorError(
        `${file} is damaged (${problem}). Restore an earlier backup, or rescue it with: sqlite3 FILE .recover`,
      )
    }
    return readSpan(database)
  } finally {
    database.close()
  }
}
