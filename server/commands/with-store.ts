import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import { checkNodeFlags, type StoreFlags } from '../flags/shared-settings.ts'
import { refuseAmongData } from '../store/data-folder.ts'
import { openPostgres } from '../store/open-postgres.ts'
import { openStore, type Store } from '../store/store.ts'

/** How long a command waits for a lock that another process holds. */
const lockPatienceMs = 30_000

/** Opens the store for a command that may create the database, and closes it afterwards. */
export async function withStore<T>(flags: StoreFlags, work: (store: Store) => Promise<T> | T): Promise<T> {
  const store = await openFor(flags)
  try {
    return await work(store)
  } catch (error) {
    if (!(error instanceof UnavailableError) || error.reason === 'storage') throw error
    throw new OperatorError(`${error.message} Try again later.`, 1, { cause: error })
  } finally {
    await store.close()
  }
}

async function openFor(flags: StoreFlags): Promise<Store> {
  checkNodeFlags(flags)
  const { data: dataFolder, database, visitorKeyFile, node } = flags
  if (database === undefined) return openStore(dataFolder, { lockPatienceMs })
  return openPostgres(database, { dataFolder, visitorKeyFile, node })
}

/**
 * The same for commands that need an existing database. The folder may be misspelt, and cron starts commands in another folder than
 * a user does; a new database there would only cause the misleading answer that there is nothing.
 *
 * @throws {OperatorError} when there is no database in the folder.
 */
export async function withExistingStore<T>(flags: StoreFlags, work: (store: Store) => Promise<T> | T): Promise<T> {
  const { data: dataFolder, database } = flags
  const file = join(resolve(dataFolder), 'quire.db')
  if (database === undefined && !existsSync(file)) {
    explainMissing(file, dataFolder)
    throw new OperatorError(
      `There is no database in ${resolve(dataFolder)}. Give the server's data folder with --data or QUIRE_DATA, or make one with npx quire init.`,
    )
  }
  return withStore(flags, work)
}

/**
 * Refuses `--database` for a command that works on the SQLite databases of a data folder.
 *
 * @param command such as `backup`
 * @param remedy what to do instead
 */
export function refuseDatabase({ database }: Pick<StoreFlags, 'database'>, command: string, remedy: string): void {
  if (database === undefined) return
  throw new OperatorError(
    `npx quire ${command} works on a data folder, not on the database of --database or QUIRE_DATABASE. ${remedy}`,
    2,
  )
}

/** Refuses with what the folder holds, if it holds data whose database was lost. */
function explainMissing(file: string, dataFolder: string): void {
  try {
    refuseAmongData(dataFolder, 'missing')
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`${file} cannot be used: ${error.message}`) : error
  }
}
