import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { findOnDemand } from '../on-demand.ts'
import type { FoundPostgres } from './start-postgres.ts'

/** An empty database of a test file. */
export interface TestDatabase {
  url: string
  /** Runs statements as another program does. */
  run(sql: string): Promise<Record<string, unknown>[]>
  /** Deletes everything in it. */
  clear(): Promise<void>
  /** Deletes the database, also while it is used. */
  drop(): Promise<void>
}

/** The PostgreSQL of this test run, or why there is none. */
export async function findPostgres(): Promise<FoundPostgres> {
  // Only here, because Dredd creates databases without vitest.
  const { inject } = await import('vitest')
  return findOnDemand<FoundPostgres>(inject('postgresUrl'))
}

/**
 * Creates a database for the tests of a file, which drop it after them. Its order of texts is that of a language, as on the servers of
 * others, so a statement that relies on the order of bytes and does not say so fails.
 */
export async function createTestDatabase(server: string): Promise<TestDatabase> {
  const name = `quire_test_${randomBytes(6).toString('hex')}`
  await runOn(
    server,
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
  )
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  // One connection for the whole file: a new one would have settings that a test gave to the database, such as to be read-only.
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 })
  // A test may end all connections to the database.
  pool.on('error', () => {})
  const run = async (sql: string) => (await pool.query(sql)).rows
  return {
    url,
    run,
    clear: async () => void (await run('DROP SCHEMA public CASCADE; CREATE SCHEMA public')),
    async drop() {
      await pool.end()
      await runOn(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

async function runOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
