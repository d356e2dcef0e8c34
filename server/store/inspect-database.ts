import { findForeign } from './database-owner.ts'
import { findProblem, openUnchanged } from './open-unchanged.ts'
import { readSpan, type SchemaSpan } from './schema-span.ts'

/** What a check of a database found. */
export interface Inspection {
  span: SchemaSpan
  /** Whether it has no table. */
  isEmpty: boolean
  /** Why Quire refuses it, see `findForeign`; null = it does not. */
  foreign: string | null
  /** The first problem of the file; null = sound. */
  problem: string | null
}

/**
 * Checks the structure of a database and its references. Changes nothing.
 *
 * @param migrationsFolder shipped folder with the migrations that it should have; undefined = not known.
 * @throws {OperatorError} when the file cannot be opened as a database.
 */
export function inspectDatabase(file: string, migrationsFolder?: string): Inspection {
  const database = openUnchanged(file)
  try {
    const span = readSpan(database)
    const damage = findProblem(database, 'quick_check')
    if (damage !== null) return { span, isEmpty: false, foreign: null, problem: damage }
    const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
    const foreign = migrationsFolder === undefined ? null : findForeign(database, migrationsFolder)
    const [broken] = database.pragma('foreign_key_check') as { table: string; parent: string }[]
    const problem = broken ? `a row of ${broken.table} refers to a missing row of ${broken.parent}` : null
    return { span, isEmpty, foreign, problem }
  } finally {
    database.close()
  }
}

/** Columns of the main database with the time of the server at a write, in milliseconds. */
const timeColumns = [
  ['organizations', 'created_at'],
  ['projects', 'created_at'],
  ['sites', 'created_at'],
  ['api_keys', 'created_at'],
  ['api_keys', 'last_used_at'],
  ['export_jobs', 'created_at'],
  ['export_jobs', 'updated_at'],
  ['sessions', 'last_seen_at'],
  ['audit_events', 'at'],
  ['readiness', 'checked_at'],
  ['clock_check', 'checked_at'],
] as const

/** Returns the newest time that a server wrote into the main database; undefined = none. */
export function findNewestTime(file: string): { at: number; column: string } | undefined {
  const database = openUnchanged(file)
  try {
    const hasColumn = database
      .prepare<[string, string], number>('SELECT 1 FROM pragma_table_info(?) WHERE name = ?')
      .pluck()
    let newest: { at: number; column: string } | undefined
    for (const [table, column] of timeColumns) {
      // An older schema lacks some.
      if (hasColumn.get(table, column) === undefined) continue
      const at = database.prepare<[], number | null>(`SELECT max(${column}) FROM ${table}`).pluck().get() ?? null
      if (at !== null && at > (newest?.at ?? 0)) newest = { at, column: `${table}.${column}` }
    }
    return newest
  } finally {
    database.close()
  }
}

/** Counts the completed exports whose links have not expired at a time. */
export function countLinkedExports(file: string, now: number): number {
  const database = openUnchanged(file)
  try {
    const hasColumn = "SELECT 1 FROM pragma_table_info('export_jobs') WHERE name = 'link_expires_at'"
    if (database.prepare(hasColumn).get() === undefined) return 0
    const count = database.prepare<[number], number>('SELECT count(*) FROM export_jobs WHERE link_expires_at > ?')
    return count.pluck().get(now) ?? 0
  } finally {
    database.close()
  }
}
