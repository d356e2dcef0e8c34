import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { OperatorError } from '../base/operator-error.ts'
import { listMigrations, readMigration } from './schema-versions.ts'

/** Tables of migrations that later versions empty and drop. */
const droppedLater = ['pages', 'seen']
const maxNamed = 3

/**
 * Refuses a database that another program wrote, or that lacks tables of its schema version. Changes nothing: also the WAL of
 * another program stays as it is.
 *
 * @param migrationsFolder shipped folder with the migrations that the database should have.
 * @throws {OperatorError} that says what was found and what to do.
 * @throws {Error} of SQLite when the file cannot be read.
 */
export function refuseForeign(file: string, migrationsFolder: string, busyTimeoutMs: number): void {
  // A connection that may write would move the WAL into the file when it closes, see `openUnchanged`.
  const readonly = existsSync(`${file}-wal`)
  const database = new Database(file, { fileMustExist: true, readonly, timeout: busyTimeoutMs })
  try {
    database.pragma('query_only = ON')
    const problem = findForeign(database, migrationsFolder)
    if (problem !== null) throw new OperatorError(`${problem} Move it away, and restore a backup if there is one.`)
  } finally {
    database.close()
  }
}

/** Returns a sentence about a database that Quire did not write or that lacks tables; null = there is nothing wrong. */
export function findForeign(database: Database.Database, migrationsFolder: string): string | null {
  const { version, tables } = readSchema(database)
  if (version === 0) {
    if (tables.length === 0) return null
    return `it was not made by Quire: it has no schema version, but has ${nameTables(tables)}.`
  }
  const migrations = listMigrations(migrationsFolder)
  const expected = listTables(migrationsFolder, migrations.slice(0, version))
  const missing = expected.filter(name => !tables.includes(name))
  if (missing.length === 0) return null
  // A newer version may have dropped some.
  if (version > migrations.length && missing.length < expected.length) return null
  return `it has schema version ${version}, but lacks ${nameTables(missing)}. Another program made it, or it is damaged.`
}

function readSchema(database: Database.Database): { version: number; tables: string[] } {
  const list = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    .pluck()
  // At one instant, because another process may apply the migrations now.
  const read = database.transaction(() => ({
    version: database.pragma('user_version', { simple: true }) as number,
    tables: list.all(),
  }))
  return read()
}

const tablesOf = new Map<string, string[]>()

/** Lists the tables that migrations make, and that no later version drops. */
function listTables(folder: string, migrations: readonly string[]): string[] {
  const key = `${folder} ${migrations.length}`
  const known = tablesOf.get(key)
  if (known) return known
  const database = new Database(':memory:')
  try {
    for (const name of migrations) database.exec(readMigration(`${folder}/${name}`, 'SQLite'))
    const tables = readSchema(database).tables.filter(name => !droppedLater.includes(name))
    tablesOf.set(key, tables)
    return tables
  } finally {
    database.close()
  }
}

function nameTables(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  return `the ${names.length === 1 ? 'table' : 'tables'} ${names.slice(0, maxNamed).join(', ')}${more}`
}
