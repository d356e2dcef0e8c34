import { copyFileSync, existsSync, linkSync, rmSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { OperatorError } from '../base/operator-error.ts'
import { listFiles, mainDatabase } from './backup/data-files.ts'
import { openUnchanged } from './open-unchanged.ts'
import type { Release } from './releases.ts'
import { canUse, readSpan } from './schema-span.ts'
import { findSchemaFolder, schemaFolders } from './schema-versions.ts'
import { copyPath, listCopiesOf, renameForGood } from './upgrade-copies.ts'

/** Rows of a table that the copy of its database lacks or has with other values. */
export interface LostRows {
  table: string
  rows: number
}

/** A database of a data folder, and what going back to an earlier version does with it. */
export interface DatabaseReturn {
  /** In the data folder, with slashes. */
  path: string
  schema: number
  /** The newest schema that the earlier version knows. */
  known: number
  /**
   * usable = the earlier version can use it as it is; replaced = the copy takes its place; set aside = its project is newer than the copy
   * of the main database, so it gets the name of a copy; stuck = there is no copy that the earlier version can use.
   */
  fate: 'usable' | 'replaced' | 'set aside' | 'stuck'
  /** The file that takes the place of the database, beside it; null = none. */
  copy: string | null
  /** What was stored or changed since the copy was made, and is not in it. */
  lost: LostRows[]
}

/** Tables that an upgrade or the server fills again by itself. */
const passing = ['schema_span', 'readiness', 'clock_check', 'rate_limits', 'revision', 'kept', 'labelled']

/**
 * Finds out what going back to an earlier version does with each database of a data folder. Changes nothing.
 *
 * @throws {OperatorError} when there is no database, or one cannot be read.
 */
export async function planDowngrade(dataFolder: string, release: Release): Promise<DatabaseReturn[]> {
  if (!existsSync(join(dataFolder, mainDatabase))) {
    throw new OperatorError(
      `There is no database in ${dataFolder}. Give the server's data folder with --data or QUIRE_DATA, or make one with npx quire init.`,
    )
  }
  const files = await Promise.all([mainDatabase, 'visits'].map(name => listFiles(dataFolder, name, () => {})))
  const plans = files.flat().flatMap(({ path, file }) => {
    const folder = findSchemaFolder(path)
    if (folder === undefined) return []
    return [planDatabase(path, file, folder === schemaFolders.main ? release.main : release.visits)]
  })
  // After an interruption, the main database is the copy already.
  const projects = listProjects(plans.find(({ path }) => path === mainDatabase)?.copy ?? join(dataFolder, mainDatabase))
  return plans.map(plan => {
    const projectId = decodeURIComponent(basename(plan.path, '.db'))
    const isNewer = plan.path !== mainDatabase && !projects.includes(projectId)
    return plan.fate === 'stuck' && isNewer ? { ...plan, fate: 'set aside' } : plan
  })
}

function listProjects(file: string): string[] {
  const database = openUnchanged(file)
  try {
    return database.prepare<[], string>('SELECT id FROM projects').pluck().all()
  } finally {
    database.close()
  }
}

function planDatabase(path: string, file: string, known: number): DatabaseReturn {
  const database = openUnchanged(file)
  try {
    const span = readSpan(database)
    const plan = { path, schema: span.version, known, copy: null, lost: [] }
    if (canUse(span, known)) return { ...plan, fate: 'usable' }
    const copy = listCopiesOf(file).findLast(({ schema }) => schema <= known)?.path
    if (copy === undefined) return { ...plan, fate: 'stuck' }
    return { ...plan, fate: 'replaced', copy, lost: findLost(database, copy) }
  } finally {
    database.close()
  }
}

function findLost(database: Database.Database, copy: string): LostRows[] {
  database.prepare('ATTACH ? AS kept').run(copy)
  const list = (schema: string) =>
    database
      .prepare<[], string>(
        `SELECT name FROM ${schema}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
      )
      .pluck()
      .all()
  const kept = new Set(list('kept'))
  return list('main')
    .filter(table => !passing.includes(table))
    .map(table => ({ table, rows: countLost(database, table, kept.has(table)) }))
    .filter(({ rows }) => rows > 0)
}

/** Compares whole rows, by the columns that both databases have. */
function countLost(database: Database.Database, table: string, isKept: boolean): number {
  const listColumns = (schema: string) =>
    database.prepare<[string, string], string>('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema)
  const kept = isKept ? listColumns('kept') : []
  const columns = listColumns('main')
    .filter(name => kept.includes(name))
    .map(name => `"${name}"`)
    .join(', ')
  const rows =
    columns === ''
      ? `main."${table}"`
      : `(SELECT ${columns} FROM main."${table}" EXCEPT SELECT ${columns} FROM kept."${table}")`
  return database.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get() ?? 0
}

/**
 * Puts the copies in the place of their databases; none may be stuck. The newer database stays beside each, under the name of a copy. A
 * second call finishes what an interrupted one began.
 *
 * @throws {OperatorError} when another process uses a database.
 */
export function downgradeDatabases(
  dataFolder: string,
  databases: readonly DatabaseReturn[],
  onReturn: (path: string) => void,
): void {
  for (const { path, schema, fate, copy } of databases) {
    if (fate === 'usable') continue
    onReturn(path)
    replace(join(dataFolder, path), schema, copy)
  }
}

function replace(file: string, schema: number, copy: string | null): void {
  removeWal(file)
  const newer = copyPath(file, schema)
  if (copy === null) renameForGood(file, newer)
  else {
    // There is a database under the name at each moment. Some file systems have no links.
    rmSync(newer, { force: true })
    try {
      linkSync(file, newer)
    } catch {
      copyFileSync(file, newer)
    }
    renameForGood(copy, file)
  }
  // Copies are deleted by their age.
  const now = new Date()
  utimesSync(newer, now, now)
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
}

/**
 * Moves what the WAL holds into the file, and removes it: it would be taken for changes of the copy. SQLite does so only for the one user
 * of a database.
 */
function removeWal(file: string): void {
  const database = new Database(file, { fileMustExist: true })
  try {
    const mode = database.pragma('journal_mode = DELETE', { simple: true })
    if (mode === 'delete') return
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error
  } finally {
    database.close()
  }
  throw new OperatorError(`Another process uses ${file}. Stop it, and run the command again.`)
}
