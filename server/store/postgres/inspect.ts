import type { RecordedBundle } from '../backup/recorded-bundles.ts'
import { connect, type Database } from './database.ts'
import { readPending } from './migrate.ts'
import { statement } from './statement.ts'
import { explain } from './store.ts'

const findTable = statement<object, { name: string | null }>("SELECT to_regclass('export_jobs')::text AS name")
const listBundles = statement<object, Omit<RecordedBundle, 'damage'> & { damage: string | null }>(
  `SELECT job_id AS "jobId", bundle_file AS "fileName", bundle_size_bytes AS "sizeBytes", bundle_sha256 AS sha256,
     bundle_damage AS damage
   FROM export_jobs WHERE status = 'completed'`,
)

/**
 * Looks at a database without changing it, and returns the names of its pending migrations.
 *
 * @throws {OperatorError} if the database cannot be used, see `migrate`.
 */
export function inspectPostgres(url: string): Promise<string[]> {
  return look(url, readPending)
}

/**
 * Lists the bundles of the completed jobs in a database, without changing it. One without migrations has none.
 *
 * @throws {OperatorError} if the database cannot be used.
 */
export function listPostgresBundles(url: string): Promise<RecordedBundle[]> {
  return look(url, async database => {
    if ((await database.get(findTable, {}))?.name == null) return []
    const rows = await database.all(listBundles, {})
    return rows.map(({ damage, ...row }) => ({ ...row, ...(damage !== null && { damage }) }))
  })
}

async function look<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connect(url)
  try {
    return await work(database)
  } catch (error) {
    throw explain(url, error)
  } finally {
    await database.close()
  }
}
