import { join } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import type { RecordedBundle } from './backup/recorded-bundles.ts'
import type { FollowedBy, PostgresState } from './postgres/inspect.ts'
import type { PostgresStore } from './postgres/store.ts'

export interface PostgresOptions {
  /** The folder of this machine, with the visitor key unless another file is given. */
  dataFolder: string
  visitorKeyFile?: string | undefined
  /** The name of this machine for positions in followed logs; undefined = the host name. */
  node?: string | undefined
  /** Is told about connections that end while nobody uses them. */
  onLost?: (error: Error) => void
}

/**
 * Opens the store of a PostgreSQL database, see `openPostgresStore`. Nobody else loads the driver.
 *
 * @throws {OperatorError} if the driver is not installed, or the database cannot be used.
 */
export async function openPostgres(
  url: string,
  { dataFolder, visitorKeyFile, node, onLost }: PostgresOptions,
): Promise<PostgresStore> {
  const { openPostgresStore } = await import('./postgres/store.ts').catch(explainMissing)
  return openPostgresStore(url, onLost, {
    keyFile: visitorKeyFile ?? join(dataFolder, 'visitor.key'),
    isKeyGiven: visitorKeyFile !== undefined,
    node,
  })
}

/** Looks at a PostgreSQL database without changing it, see `inspectPostgres` in postgres/inspect.ts. */
export async function inspectPostgres(url: string): Promise<PostgresState> {
  const { inspectPostgres } = await import('./postgres/inspect.ts').catch(explainMissing)
  return inspectPostgres(url)
}

/** Lists the bundles of a PostgreSQL database, see `listPostgresBundles` in postgres/inspect.ts. */
export async function listPostgresBundles(url: string): Promise<RecordedBundle[]> {
  const { listPostgresBundles } = await import('./postgres/inspect.ts').catch(explainMissing)
  return listPostgresBundles(url)
}

/** Finds how far a followed log was read, see `findPostgresLogPosition` in postgres/inspect.ts. */
export async function findPostgresLogPosition(url: string, log: FollowedBy): Promise<string | undefined> {
  const { findPostgresLogPosition } = await import('./postgres/inspect.ts').catch(explainMissing)
  return findPostgresLogPosition(url, log)
}

/** Loads what copies a store to another. */
export function loadTransfer(): Promise<typeof import('./transfer/transfer-stores.ts')> {
  return import('./transfer/transfer-stores.ts').catch(explainMissing)
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
