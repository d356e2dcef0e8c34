import { listMigrations, listPostgresMigrations, schemaFolders } from './schema-versions.ts'

/** A version of Quire, and how many migrations it knows. */
export interface Release {
  version: string
  /** Of the main database. */
  main: number
  /** Of the databases of visits, which only SQLite has. */
  visits: number
}

/** All versions of Quire, the oldest first. The last is this one. */
export const releases: readonly Release[] = [{ version: '0.1.0', main: 22, visits: 5 }]

/** How many migrations a version knows of a PostgreSQL database, see `schemaFolders.postgres`. */
export function countPostgresMigrations({ main }: Release): number {
  return listPostgresMigrations().length - (listMigrations(schemaFolders.main).length - main)
}
