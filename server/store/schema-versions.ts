import { listAssets, readAsset } from '../assets.ts'

/** The shipped folders with migrations. */
export const schemaFolders = {
  /** Of the main database: one series for SQLite and PostgreSQL, see `readMigration`. */
  main: 'server/store/migrations',
  /** Of the databases of visits, which only SQLite has. */
  visits: 'server/store/visits/migrations',
  /**
   * What PostgreSQL has in place of the migrations before `firstShared`: files that make all their tables, and those of the visits. These
   * are the versions 1 and 2 of a PostgreSQL database, so the migration 012 is its version 3.
   */
  postgres: 'server/store/postgres/migrations',
}
const firstShared = '012'

/** Lists the migrations in a shipped folder, in order. The schema version of a database is the number of applied ones. */
export function listMigrations(folder: string): string[] {
  return listAssets(folder).filter(name => name.endsWith('.sql'))
}

/** Lists the paths of the migrations of PostgreSQL, in order. The schema version of a database is the number of applied ones. */
export function listPostgresMigrations(): string[] {
  const { main, postgres } = schemaFolders
  const shared = listMigrations(main).filter(name => name >= firstShared)
  return [...listMigrations(postgres).map(name => `${postgres}/${name}`), ...shared.map(name => `${main}/${name}`)]
}

/**
 * Reads what a migration does in a database: everything but the section of the other database. A section begins with the line
 * `-- SQLite:` or `-- PostgreSQL:`.
 */
export function readMigration(path: string, database: 'SQLite' | 'PostgreSQL'): string {
  const other = database === 'SQLite' ? '-- PostgreSQL:' : '-- SQLite:'
  const parts = readAsset(path).split(/^(?=-- (?:SQLite|PostgreSQL):$)/m)
  return parts.filter(part => !part.startsWith(other)).join('')
}

/** The schema versions that this Quire knows; databases of newer versions cannot be used. */
export function listKnownSchemas(): Record<'main' | 'visits', number> {
  return { main: listMigrations(schemaFolders.main).length, visits: listMigrations(schemaFolders.visits).length }
}

/**
 * Returns the shipped folder with the migrations of a database of a data folder; undefined for databases that Quire does not
 * know.
 *
 * @param path in the data folder, with slashes.
 */
export function findSchemaFolder(path: string): string | undefined {
  if (path === 'quire.db') return schemaFolders.main
  return /^visits\/[^/]+\.db$/.test(path) ? schemaFolders.visits : undefined
}

/** Returns the newest schema version that this Quire knows for a database, see `findSchemaFolder`. */
export function findKnownSchema(path: string): number | undefined {
  const folder = findSchemaFolder(path)
  return folder === undefined ? undefined : listMigrations(folder).length
}
