import { basename } from 'node:path'
import type Database from 'better-sqlite3'
import { readAsset } from '../assets.ts'

/** Which programs can use a database. */
export interface SchemaSpan {
  /** The number of the migrations that were applied. */
  version: number
  /** A program can use the database if it knows at least this many migrations. */
  oldest: number
}

/** A line of a migration after which programs that do not know it go on, such as `-- Usable from 019: the column may be empty.` */
const usableFrom = /^-- Usable from (\d{3}):/m

/** Whether a program that knows a number of migrations can use a database. */
export function canUse({ oldest }: SchemaSpan, known: number): boolean {
  return known >= oldest
}

/** Says why `canUse` is false. */
export function explainNewer({ version }: SchemaSpan, known: number): string {
  return `it was written by a newer Quire (schema ${version}; this version supports ${known}). Upgrade Quire.`
}

/**
 * Returns the span after migrations.
 *
 * @param paths of the shipped files, in order
 */
export function findSpan(paths: readonly string[]): SchemaSpan {
  const names = paths.map(path => basename(path))
  const needed = paths.map((path, index) => {
    const number = usableFrom.exec(readAsset(path))?.[1]
    return number === undefined ? index + 1 : names.findIndex(name => name.startsWith(number)) + 1
  })
  return { version: paths.length, oldest: Math.max(0, ...needed) }
}

/** Returns the SQL that stores a span, for both databases. Without the table, a program must know all migrations. */
export function storeSpan({ version, oldest }: SchemaSpan): string {
  const create = oldest < version ? `CREATE TABLE schema_span AS SELECT ${oldest} AS oldest;` : ''
  return `DROP TABLE IF EXISTS schema_span; ${create}`
}

/** Reads the span of a SQLite database. */
export function readSpan(database: Database.Database): SchemaSpan {
  const read = database.transaction(() => {
    const version = database.pragma('user_version', { simple: true }) as number
    const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_span'").get() !== undefined
    if (!hasTable) return { version, oldest: version }
    return { version, oldest: database.prepare<[], number>('SELECT oldest FROM schema_span').pluck().get() ?? version }
  })
  return read()
}
