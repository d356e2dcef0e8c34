import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeEach, describe } from 'vitest'
import type { Awaitable } from '../../server/base/awaitable.ts'
import type { Steps } from '../../server/base/steps.ts'
import type { Nouns, NounsInSteps } from '../../server/store/nouns.ts'
import { openPostgresStore } from '../../server/store/postgres/store.ts'
import { openStore } from '../../server/store/store.ts'
import type { StoredVisits } from '../../server/store/visits/stored-visits.ts'
import type { RateLimitReader, RateLimits } from '../../server/tenancy/rate-limit.ts'
import type { FoundPostgres } from '../support/postgres/start-postgres.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'

/** What both stores have. */
export interface TestStore extends Nouns {
  rateLimits: RateLimits & RateLimitReader
  atomically<T>(work: (nouns: NounsInSteps) => Steps<T>): Awaitable<T>
  visits: StoredVisits
  check(now: number): unknown
}

/** The stores of the test that runs, all on the same database. */
export interface Stores {
  store: TestStore
  /** Opens another store, as another process does. It is closed after the test. */
  openOther(): Promise<TestStore>
  /** The folder of the visitor key, and on SQLite of all data. */
  folder: string
  /** The address of the database; undefined on SQLite. */
  url: string | undefined
  /** Runs SQL as another program does. */
  run(sql: string): Promise<Record<string, unknown>[]>
  /** Codes of the errors of the database. */
  codes: { unique: string; foreignKey: string; notNull: string }
}

export type StoreKind = 'SQLite' | 'PostgreSQL'

export interface SharedTests extends Stores {
  /** Defines tests that run on SQLite, and on PostgreSQL in the project of that name, each on an empty database. */
  describe(title: string, tests: (kind: StoreKind) => void): void
}

/** QUIRE_TEST_STORE is postgres in the project of that name. The long runs, which run once, test both. */
const kinds: readonly StoreKind[] =
  process.env.QUIRE_TEST_STORE === 'postgres'
    ? ['PostgreSQL']
    : process.env.QUIRE_TEST_LONG
      ? ['SQLite', 'PostgreSQL']
      : ['SQLite']
const postgres: FoundPostgres = kinds.includes('PostgreSQL') ? await findPostgres() : { missing: 'only on SQLite' }

/**
 * Prepares the tests of a file that run on both stores, in two projects. Without a PostgreSQL, those on it are skipped, and their title says why.
 *
 * @param setUp runs before each test.
 */
export function shareTests(setUp: (stores: Stores) => Promise<void>): SharedTests {
  let current: Stores
  let postgresStores: ReturnType<typeof preparePostgres> | undefined
  afterAll(() => postgresStores?.drop())
  const define = (kind: StoreKind, open: () => Promise<OpenedStores>, tests: (kind: StoreKind) => void) => {
    let opened: OpenedStores
    beforeEach(async () => {
      opened = await open()
      current = opened
      await setUp(current)
    })
    afterEach(() => opened.close())
    tests(kind)
  }
  return {
    get store() {
      return current.store
    },
    openOther: () => current.openOther(),
    get folder() {
      return current.folder
    },
    get url() {
      return current.url
    },
    run: sql => current.run(sql),
    get codes() {
      return current.codes
    },
    describe(title, tests) {
      if (kinds.includes('SQLite')) describe(`${title}, on SQLite`, () => define('SQLite', openOnSqlite, tests))
      if (!kinds.includes('PostgreSQL')) return
      if ('missing' in postgres) {
        describe.skip(`${title}, on PostgreSQL: ${postgres.missing}`, () => tests('PostgreSQL'))
        return
      }
      const { url } = postgres
      const open = async () => {
        postgresStores ??= preparePostgres(url)
        return postgresStores.open()
      }
      describe(`${title}, on PostgreSQL`, () => define('PostgreSQL', open, tests))
    },
  }
}

interface OpenedStores extends Stores {
  close(): Promise<void>
}

async function openOnSqlite(): Promise<OpenedStores> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-store-'))
  const opened = [openStore(folder)]
  return {
    store: opened[0] as TestStore,
    folder,
    url: undefined,
    codes: {
      unique: 'SQLITE_CONSTRAINT_UNIQUE',
      foreignKey: 'SQLITE_CONSTRAINT_FOREIGNKEY',
      notNull: 'SQLITE_CONSTRAINT_NOTNULL',
    },
    async openOther() {
      const other = openStore(folder)
      opened.push(other)
      return other
    },
    async run(sql) {
      const database = new Database(join(folder, 'quire.db'))
      try {
        const statement = database.prepare(sql)
        if (statement.reader) return statement.all() as Record<string, unknown>[]
        statement.run()
        return []
      } finally {
        database.close()
      }
    },
    async close() {
      for (const store of opened) store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Prepares the database of a file; `open` empties it. */
function preparePostgres(server: string) {
  const database = createTestDatabase(server)
  return {
    async open(): Promise<OpenedStores> {
      const { url, run, clear } = await database
      await clear()
      const folder = mkdtempSync(join(tmpdir(), 'quire-store-'))
      const opened: { close(): Promise<void> }[] = []
      const openOther = async () => {
        const store = await openPostgresStore(url, undefined, { keyFile: join(folder, 'visitor.key') })
        opened.push(store)
        return withClock(store, run)
      }
      const store = await openOther()
      await run(`CREATE TABLE test_clock AS SELECT now_ms() AS at;
        CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT at FROM test_clock'`)
      return {
        store,
        folder,
        url,
        codes: { unique: '23505', foreignKey: '23503', notNull: '23502' },
        openOther,
        run,
        async close() {
          for (const store of opened) await store.close()
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
    drop: async () => (await database).drop(),
  }
}

/** The place of the time among the arguments of the methods that use the clock of PostgreSQL. */
const timePlaces = {
  organizationRemoval: { begin: 1 },
  exportJobs: { claim: 1, heartbeat: 1, report: 3, complete: 3, fail: 2 },
  webhookDeliveries: { claim: 0, record: 2, enqueueTest: 1 },
  rateLimits: { take: 2, findUsage: 2 },
} as const

/**
 * Sets the clock of the database to the time that a test gives to a method. SQLite uses the clock of the process, PostgreSQL its own: a
 * test that sets the time sets the clock that the store uses.
 */
function withClock(store: TestStore, run: TestDatabase['run']): TestStore {
  const changed = Object.entries(timePlaces).map(([name, places]) => {
    const noun = store[name as keyof typeof timePlaces] as unknown as Record<string, (...given: unknown[]) => unknown>
    const methods = Object.entries(places).map(([method, place]) => [
      method,
      async (...given: unknown[]) => {
        const at = given[place]
        await run(`UPDATE test_clock SET at = ${typeof at === 'function' ? at() : at}`)
        return noun[method]?.(...given)
      },
    ])
    return [name, { ...noun, ...Object.fromEntries(methods) }]
  })
  return { ...store, ...Object.fromEntries(changed) }
}
