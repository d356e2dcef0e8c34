import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import { refuseAmongData } from '../store/data-folder.ts'
import { openStore, type Store } from '../store/store.ts'

/** How long a command waits for a lock that another process holds. */
const lockPatienceMs = 30_000

/** Opens the store of a data folder for a command that may create the database, and closes it afterwards. */
export async function withStore<T>(dataFolder: string, work: (store: Store) => Promise<T> | T): Promise<T> {
  const store = openStore(dataFolder, { lockPatienceMs })
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

/**
 * The same for commands that need an existing database. The folder may be misspelt, and cron starts commands in another folder than
 * a user does; a new database there would only cause the misleading answer that there is nothing.
 *
 * @throws {OperatorError} when there is no database in the folder.
 */
export async function withExistingStore<T>(dataFolder: string, work: (store: Store) => Promise<T> | T): Promise<T> {
  const file = join(resolve(dataFolder), 'quire.db')
  if (!existsSync(file)) {
    explainMissing(file, dataFolder)
    throw new OperatorError(
      `There is no database in ${resolve(dataFolder)}. Give the server's data folder with --data or QUIRE_DATA.`,
    )
  }
  return withStore(dataFolder, work)
}

/** Refuses with what the folder holds, if it holds data whose database was lost. */
function explainMissing(file: string, dataFolder: string): void {
  try {
    refuseAmongData(dataFolder, 'missing')
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`${file} cannot be used: ${error.message}`) : error
  }
}
