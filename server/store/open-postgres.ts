import { OperatorError } from '../base/operator-error.ts'
import type { PostgresStore } from './postgres/store.ts'
import type { Store } from './store.ts'

/**
 * Opens the store of a PostgreSQL database, see `openPostgresStore`. Nobody else loads the driver.
 *
 * @throws {OperatorError} if the driver is not installed, or the database cannot be used.
 */
export async function openPostgres(url: string, onLost?: (error: Error) => void): Promise<Store & PostgresStore> {
  const { openPostgresStore } = await import('./postgres/store.ts').catch(explainMissing)
  return { ...unfinished, ...(await openPostgresStore(url, onLost)) }
}

/** Looks at a PostgreSQL database without changing it, see `inspectPostgres` in postgres/inspect.ts. */
export async function inspectPostgres(url: string): Promise<string[]> {
  const { inspectPostgres } = await import('./postgres/inspect.ts').catch(explainMissing)
  return inspectPostgres(url)
}

function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  throw new OperatorError(
    '--database needs the package pg, which is not installed. In a clone of Quire, run: npm ci. If npm installed Quire globally, ' +
      'run: npm install --global pg@8',
    1,
    { cause: error },
  )
}

/** What the store of PostgreSQL lacks so far. */
const unfinished: Pick<Store, 'visits'> = {
  visits: refuseOthers<Store['visits']>({ listLost: () => [] }, 'Visits are not counted'),
}

function refuseOthers<Noun extends object>(known: Partial<Noun>, what: string): Noun {
  const refuse = () => {
    throw new OperatorError(`${what} on PostgreSQL yet. Use SQLite, without --database.`)
  }
  return new Proxy(known as Noun, { get: (noun, name) => noun[name as keyof Noun] ?? refuse })
}
