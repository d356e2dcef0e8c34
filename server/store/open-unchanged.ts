import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { OperatorError } from '../base/operator-error.ts'

/** How long a statement waits for a lock. Only commands that have no other work use such a connection. */
const patienceMs = 60_000

/**
 * Opens an existing database to read it. Creates, migrates and changes nothing. The caller closes it.
 *
 * @throws {OperatorError} when the file is missing, damaged, not a database, or not readable.
 */
export function openUnchanged(file: string): Database.Database {
  let database: Database.Database | undefined
  try {
    // With a WAL, another process uses the database or was killed: a connection that may write would move the WAL into
    // the file when it closes. Without a WAL, a read-only connection would leave an empty one behind.
    database = new Database(file, { fileMustExist: true, readonly: existsSync(`${file}-wal`), timeout: patienceMs })
    database.pragma('query_only = ON')
    database.pragma('trusted_schema = OFF')
    // The first statement that reads the file.
    database.pragma('schema_version')
    return database
  } catch (error) {
    database?.close()
    throw explainUnreadable(file, error)
  }
}

/**
 * Returns the first problem that `quick_check` or `integrity_check` finds; null = sound. The first line of what SQLite reports
 * names only the database.
 */
export function findProblem(database: Database.Database, check: 'quick_check' | 'integrity_check'): string | null {
  const found = String(database.pragma(`${check}(1)`, { simple: true }))
  return found === 'ok' ? null : (found.split('\n').at(-1) ?? found)
}

/** Turns an error of SQLite into a sentence with the remedy. Returns other errors unchanged. */
export function explainUnreadable(file: string, error: unknown): unknown {
  const code = String((error as { code?: unknown }).code ?? '')
  const reason = Object.keys(reasons).find(name => code === name || code.startsWith(`${name}_`))
  return reason ? new OperatorError(`${file} ${reasons[reason]}`, 1, { cause: error }) : error
}

const reasons: Record<string, string> = {
  SQLITE_NOTADB: 'is not a SQLite database. Restore a backup.',
  SQLITE_CORRUPT: 'is damaged. Restore a backup, or rescue it with: sqlite3 FILE .recover',
  SQLITE_CANTOPEN: 'cannot be opened. Run the command as the user of the server.',
  SQLITE_READONLY: 'cannot be opened. Run the command as the user of the server.',
  SQLITE_AUTH: 'cannot be opened. Run the command as the user of the server.',
  SQLITE_PERM: 'cannot be opened. Run the command as the user of the server.',
  SQLITE_BUSY: 'is locked by another process. End that process, or try again.',
  SQLITE_FULL: 'cannot be copied: the disk of the backup is full. Free some space.',
  SQLITE_IOERR: 'cannot be read: the disk reports an error. Check the disk.',
}
