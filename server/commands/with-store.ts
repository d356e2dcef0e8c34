import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import { openStore, type Store } from '../store/store.ts'

/** Opens the store of a data folder for the length of one command. */
export async function withStore<T>(dataFolder: string, work: (store: Store) => Promise<T> | T): Promise<T> {
  const store = openStore(dataFolder)
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

/**
 * The same for a command that needs what is there already. Cron starts it in another folder than a person does, and a new
 * database there would only say that it knows no project.
 *
 * @throws {OperatorError} when there is no database in the folder.
 */
export async function withExistingStore<T>(dataFolder: string, work: (store: Store) => Promise<T> | T): Promise<T> {
  if (!existsSync(join(dataFolder, 'quire.db'))) {
    throw new OperatorError(
      `There is no database in ${resolve(dataFolder)}. Give the server's data folder with --data or QUIRE_DATA.`,
    )
  }
  return withStore(dataFolder, work)
}
