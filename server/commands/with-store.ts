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
