import { listAssets } from '../assets.ts'

/** The shipped folders with the migrations of the main database and of the databases of visits. */
export const schemaFolders = { main: 'server/store/migrations', visits: 'server/store/visits/migrations' }

/** Lists the migrations in a shipped folder, in order. The schema version of a database is the number of applied ones. */
export function listMigrations(folder: string): string[] {
  return listAssets(folder).filter(name => name.endsWith('.sql'))
}

/** The schema versions that this Quire knows; databases of newer versions cannot be used. */
export function listKnownSchemas(): Record<keyof typeof schemaFolders, number> {
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
