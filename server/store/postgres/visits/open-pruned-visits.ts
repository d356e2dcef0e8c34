import type { StoredVisits } from '../../visits/stored-visits.ts'
import { connect } from '../database.ts'
import { openPostgresVisits } from './visits.ts'

/** Opens the visits of a database to delete old visitors in another thread, which closes it. */
export function openPrunedVisits(
  url: string,
): Pick<StoredVisits, 'destroyKeys' | 'pruneSeen'> & { close(): Promise<void> } {
  const database = connect(url)
  return { ...openPostgresVisits(database, { url }), close: () => database.close() }
}
