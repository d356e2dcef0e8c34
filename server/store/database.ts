import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { makeFolder } from '../base/make-folder.ts'
import { endedStatements } from '../base/measures.ts'
import { OperatorError } from '../base/operator-error.ts'
import { refuseForeign } from './database-owner.ts'
import { addFoldCase } from './list-part.ts'
import { migrate } from './migrate.ts'
import { createPrivateFile, makePrivate, privateFolder } from './private-files.ts'
import { schemaFolders } from './schema-versions.ts'
import { timeStatements } from './timed-database.ts'

export type { Database } from 'better-sqlite3'

/** How long a statement waits for a lock held by another process. */
export const busyTimeoutMs = 5000

/** How long another process takes for a step of a new database, about. */
const retryMs = 5

/** The name of a database that has no file. */
const inMemory = ':memory:'

/**
 * Opens the SQLite database in `file`, creates it if it is missing, and applies pending migrations, see `migrate`. Only the user of this
 * process can read it. The caller closes it.
 *
 * @param migrationsFolder shipped folder with the numbered .sql files of the schema.
 * @param mayCreate is called before a new database gets its tables, and throws to refuse it. 'empty' = there is a file
 *   without tables.
 * @throws {OperatorError} if the file is not a database of Quire, is damaged, was written by a newer Quire, or cannot be
 *   written.
 */
export function openDatabase(
  file: string,
  migrationsFolder = schemaFolders.main,
  mayCreate: (found: 'missing' | 'empty') => void = () => {},
): Database.Database {
  let database: Database.Database | undefined
  try {
    makeFolder(dirname(file), privateFolder)
    accessSync(dirname(file), constants.W_OK)
    // Decided before SQLite opens the file, because that creates it and deletes a WAL beside it.
    const found = existsSync(file) ? 'empty' : 'missing'
    const isEmpty = () => !statSync(file, { throwIfNoEntry: false })?.size
    decideCreation(isEmpty, () => mayCreate(found))
    if (!isEmpty()) refuseForeign(file, migrationsFolder, busyTimeoutMs)
    if (file !== inMemory) createPrivateFile(file)
    const opened = new Database(file)
    database = opened
    database.pragma(`busy_timeout = ${busyTimeoutMs}`)
    // A file with a valid header can be empty too.
    decideCreation(
      () => opened.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined,
      () => mayCreate('empty'),
    )
    useWal(opened)
    // With a WAL, NORMAL loses nothing when the process is killed, but a power cut may lose the last transactions. FULL
    // loses nothing on a power cut either and takes one fsync per write transaction.
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    addFoldCase(database)
    migrate(database, file === inMemory ? null : file, migrationsFolder)
    // SQLite creates the other two files with the mode of the first.
    for (const suffix of ['', '-wal', '-shm']) makePrivate(file + suffix)
    if (endedStatements.isHeard) timeStatements(database)
    return database
  } catch (error) {
    database?.close()
    throw explain(file, error)
  }
}

/**
 * Lets a database have a WAL. While several processes open a new database, SQLite refuses this at once, whatever `busy_timeout` is.
 */
function useWal(database: Database.Database): void {
  const until = performance.now() + busyTimeoutMs
  for (;;)
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const isLocked = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')
      if (!isLocked || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs)
    }
}

/** Asks whether an empty database may get its tables. Another process may create them, and data, at the same moment. */
function decideCreation(isEmpty: () => boolean, mayCreate: () => void): void {
  if (!isEmpty()) return
  try {
    mayCreate()
  } catch (error) {
    if (isEmpty()) throw error
  }
}

const remedies: Record<string, string> = {
  SQLITE_NOTADB: 'it is not a SQLite database. Move it away, or restore a backup.',
  SQLITE_CORRUPT: 'it is damaged. Restore a backup, or rescue it with: sqlite3 quire.db .recover',
  SQLITE_READONLY: 'it is read-only. Give the user of this process write access to the data folder.',
  SQLITE_CANTOPEN: 'it cannot be opened. Check that the data folder exists and is writable.',
  SQLITE_FULL: 'the disk is full. Free some space.',
  SQLITE_IOERR: 'the disk reports an error or is full. Check it and free some space.',
  SQLITE_BUSY: 'another process keeps it locked. End that process, or try again.',
  EACCES: 'the data folder is not writable. Give the user of this process write access.',
  EPERM: 'the data folder is not writable. Give the user of this process write access.',
  EROFS: 'the data folder is on a read-only file system. Choose another with --data.',
  ENOSPC: 'the disk is full. Free some space.',
  ENOENT: 'the data folder cannot be created there. Choose another with --data.',
  ENOTDIR: 'the data folder is a file. Choose another with --data.',
  EEXIST: 'the data folder is a file. Choose another with --data.',
}

function explain(file: string, error: unknown): unknown {
  if (error instanceof OperatorError) {
    return new OperatorError(`Cannot use ${file}: ${error.message}`, 1, { cause: error })
  }
  const code = String((error as { code?: unknown }).code ?? '')
  // Extended codes such as SQLITE_IOERR_WRITE share the remedy of their base code.
  const known = Object.keys(remedies).find(name => code === name || code.startsWith(`${name}_`))
  return known ? new OperatorError(`Cannot use ${file}: ${remedies[known]}`, 1, { cause: error }) : error
}
