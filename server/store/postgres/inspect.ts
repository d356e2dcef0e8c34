import { connect } from './database.ts'
import { readPending } from './migrate.ts'
import { explain } from './store.ts'

/**
 * Looks at a database without changing it, and returns the names of its pending migrations.
 *
 * @throws {OperatorError} if the database cannot be used, see `migrate`.
 */
export async function inspectPostgres(url: string): Promise<string[]> {
  const database = connect(url)
  try {
    return await readPending(database)
  } catch (error) {
    throw explain(url, error)
  } finally {
    await database.close()
  }
}
