import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { ServeFlags } from '../../server/flags/serve-settings.ts'
import { openStore, type Store } from '../../server/store/store.ts'

/** The store of a test server. */
export interface TestStores {
  kind: 'SQLite' | 'PostgreSQL'
  /** What a server or a command needs to use it. */
  flags: Partial<ServeFlags>
  /** Opens it as another process does. */
  open(): Promise<Store>
  /** Changes rows as another program does, without its checks. */
  runUnchecked(sql: string): Promise<void>
  /** Keeps others from writing what the check of readiness writes, until the returned function is called. */
  lock(): Promise<() => Promise<void>>
  /** The code of the error of those who wait for that lock for too long. */
  lockedCode: string
  drop(): Promise<void>
}

/**
 * Prepares the store that the project of the test runs on: QUIRE_TEST_STORE is postgres in the project of that name, else the store is
 * SQLite in the data folder.
 */
export async function prepareStores(dataFolder: string): Promise<TestStores> {
  return process.env.QUIRE_TEST_STORE === 'postgres' ? prepareOnPostgres() : prepareOnSqlite(dataFolder)
}

function prepareOnSqlite(dataFolder: string): TestStores {
  const openDatabase = () => new Database(join(dataFolder, 'quire.db'))
  return {
    kind: 'SQLite',
    flags: {},
    open: async () => openStore(dataFolder),
    async runUnchecked(sql) {
      const database = openDatabase()
      database.exec(`PRAGMA foreign_keys = OFF; ${sql}`)
      database.close()
    },
    async lock() {
      const database = openDatabase()
      database.exec('BEGIN IMMEDIATE')
      return async () => void database.close()
    },
    lockedCode: 'SQLITE_BUSY',
    async drop() {},
  }
}

async function prepareOnPostgres(): Promise<TestStores> {
  // Only here, because Dredd uses the servers of the tests without vitest.
  const [{ createTestDatabase, findPostgres }, { openPostgres }] = await Promise.all([
    import('./postgres/test-database.ts'),
    import('../../server/store/open-postgres.ts'),
  ])
  const found = await findPostgres()
  if ('missing' in found) throw new Error(found.missing)
  const { url, run, drop } = await createTestDatabase(found.url)
  return {
    kind: 'PostgreSQL',
    flags: { database: url },
    open: () => openPostgres(url, { dataFolder: '.' }),
    runUnchecked: async sql => void (await run(`BEGIN; SET LOCAL session_replication_role = replica; ${sql}; COMMIT`)),
    async lock() {
      await run('BEGIN; LOCK TABLE readiness')
      return async () => void (await run('ROLLBACK'))
    },
    lockedCode: '55P03',
    drop,
  }
}
