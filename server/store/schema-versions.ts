import { listAssets } from '../assets.ts'

const folders = { main: 'server/store/migrations', visits: 'server/store/visits/migrations' }

/** The schema versions that this Quire knows; databases of newer versions cannot be used. */
export function listKnownSchemas(): Record<keyof typeof folders, number> {
  const count = (folder: string) => listAssets(folder).filter(name => name.endsWith('.sql')).length
  return { main: count(folders.main), visits: count(folders.visits) }
}

/**
 * Returns the newest schema version that this Quire knows for a database of a data folder; undefined for databases that it
 * does not know.
 *
 * @param path in the data folder, with slashes.
 */
export function findKnownSchema(path: string): number | undefined {
  if (path === 'quire.db') return listKnownSchemas().main
  return /^visits\/[^/]+\.db$/.test(path) ? listKnownSchemas().visits : undefined
}
