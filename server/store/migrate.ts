import { rmSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { OperatorError } from '../base/operator-error.ts'
import { canUse, explainNewer, findSpan, readSpan, storeSpan } from './schema-span.ts'
import { listMigrations, readMigration } from './schema-versions.ts'
import { copyPath, draftCopy, renameForGood } from './upgrade-copies.ts'

/**
 * Applies the pending migrations of a database in one transaction: all, or none if one fails. A copy of the database as it was
 * stays beside it, see `copyPath`. A new database has nothing to copy. A database that a newer Quire has upgraded stays as it is, if this
 * version can use it, see `SchemaSpan`.
 *
 * @param file null = the database has no file.
 * @throws {OperatorError} when only a newer Quire can use the database, a migration fails, or there is no room for the copy.
 * @throws {Error} of SQLite, for example when the disk is full.
 */
export function migrate(database: Database.Database, file: string | null, migrationsFolder: string): void {
  const names = listMigrations(migrationsFolder)
  const applied = () => database.pragma('user_version', { simple: true }) as number
  const span = readSpan(database)
  if (!canUse(span, names.length)) throw new OperatorError(explainNewer(span, names.length))
  // Takes no lock without pending migrations, because another process may hold the lock for seconds.
  while (applied() < names.length) {
    const from = applied()
    // Another connection that commits changes this number.
    const seen = database.pragma('data_version', { simple: true })
    const draft = from === 0 || file === null ? null : draftCopy(database, file, from)
    const isCurrent = () =>
      draft === null || (applied() === from && database.pragma('data_version', { simple: true }) === seen)
    let kept: string | null = null
    const keep = () => {
      if (draft === null || file === null) return
      kept = copyPath(file, from)
      renameForGood(draft, kept)
    }
    try {
      if (applyAll({ database, migrationsFolder, names, isCurrent, keep })) return
    } catch (error) {
      // The transaction was rolled back, so the copy has nothing that the database lacks.
      if (kept !== null) rmSync(kept, { force: true })
      throw error
    } finally {
      if (draft !== null) rmSync(draft, { force: true })
    }
  }
}

interface Application {
  database: Database.Database
  migrationsFolder: string
  names: readonly string[]
  /** Whether the database is still as it was copied. */
  isCurrent(): boolean
  /** Called before the first change. */
  keep(): void
}

/** Returns false, and changes nothing, if another process has written since the copy was made. */
function applyAll({ database, migrationsFolder, names, isCurrent, keep }: Application): boolean {
  const apply = database.transaction(() => {
    if (!isCurrent()) return false
    const from = database.pragma('user_version', { simple: true }) as number
    if (from < names.length) keep()
    for (let version = from; version < names.length; version++) {
      const name = names[version] as string
      try {
        database.exec(readMigration(`${migrationsFolder}/${name}`, 'SQLite'))
      } catch (error) {
        throw explain(name, from, error)
      }
      database.pragma(`user_version = ${version + 1}`)
    }
    if (from < names.length) database.exec(storeSpan(findSpan(names.map(name => `${migrationsFolder}/${name}`))))
    return true
  })
  // IMMEDIATE reads the version again inside the lock, so two processes that start together do not apply a migration twice.
  return apply.immediate()
}

/** Problems of the disk and of locks have their own sentences; anything else is a migration that does not fit the data. */
function explain(name: string, from: number, error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: string }
  if (!/^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG)/.test(String(code))) return error
  return new OperatorError(
    `the migration ${name} failed (${message}). Nothing was changed: it still has schema ${from}. ` +
      'Use the earlier version of Quire, and report this.',
    1,
    { cause: error },
  )
}
