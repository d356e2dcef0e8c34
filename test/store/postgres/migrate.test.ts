import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../../server/store/postgres/database.ts'
import { migrate } from '../../../server/store/postgres/migrate.ts'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import { listPostgresMigrations, readMigration } from '../../../server/store/schema-versions.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'

const postgres = await findPostgres()
const files = listPostgresMigrations()
const newest = files.length

describe.skipIf('missing' in postgres)('the schema on PostgreSQL', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase((postgres as { url: string }).url)
  })
  afterAll(() => database.drop())
  beforeEach(() => database.clear())

  const open = async (url = database.url) => (await openPostgresStore(url)).close()
  const version = () => database.run('SELECT version FROM schema_version')

  test('nodes that start together apply each migration once', async () => {
    for (let round = 0; round < 5; round += 1) {
      await database.clear()
      await Promise.all([1, 2, 3, 4].map(() => open()))
      expect(await version()).toEqual([{ version: newest }])
    }
    await open()
  })

  test('a database of a newer Quire is refused and stays as it is', async () => {
    await open()
    await database.run('UPDATE schema_version SET version = 99')
    await database.run('DROP TABLE IF EXISTS schema_span')
    await expect(open()).rejects.toThrow(
      /^Cannot use the database quire_test_\w+ at 127\.0\.0\.1:\d+: it was written by a newer Quire \(schema 99; this version supports \d+\)\. Upgrade Quire\.$/,
    )
    expect(await version()).toEqual([{ version: 99 }])
  })

  test('the tables of another program are refused, and nothing is created', async () => {
    await database.run('CREATE TABLE projects (id integer)')
    await expect(open()).rejects.toThrow('it has tables of another program. Create a database for Quire alone.')
    expect(await database.run("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([
      { relname: 'projects' },
    ])
  })

  test('an upgrade keeps what is used of the rate limits, and nodes of the earlier version go on', async () => {
    for (const file of files.slice(0, 2)) await database.run(readMigration(file, 'PostgreSQL'))
    await database.run(`CREATE TABLE schema_version AS SELECT 2 AS version`)
    const at = Date.UTC(2026, 10, 20)
    const used: [string, number, number[]][] = [
      ['nothing', at - 1, []],
      ['one', at + 36_000, [at]],
      ['more', at + 36_000.5, [at, at]],
      ['all', at + 3_600_000, Array(100).fill(at)],
      ['beyond', at + 9_000_000, Array(100).fill(at)],
    ]
    for (const [id, arrivalAt] of used) {
      await database.run(`INSERT INTO organizations (id, name, plan, created_at) VALUES ('${id}', 'Acme', 'standard', 0);
        INSERT INTO rate_limits (organization_id, budget, arrival_at, stored_at, allowed)
        VALUES ('${id}', 'analytics', ${arrivalAt}, ${at}, true)`)
    }
    const store = await openPostgresStore(database.url)
    try {
      const find = async (id: string) =>
        (await database.run(`SELECT instants FROM rate_limits WHERE organization_id = '${id}'`))[0]
      for (const [id, , instants] of used)
        expect([id, await find(id)]).toEqual([id, { instants: instants.map(String) }])
      await database.run(`UPDATE rate_limits SET arrival_at = ${at + 36_000}, stored_at = ${at}, allowed = false
        WHERE organization_id = 'nothing'`)
      const budget = { budget: 'analytics', quota: 100, windowSeconds: 3600 }
      expect(await store.rateLimits.take('nothing', budget, Date.now)).toMatchObject({ allowed: true, used: 1 })
    } finally {
      await store.close()
    }
  })

  test('a migration that fails changes nothing', async () => {
    const connected = connect(database.url)
    try {
      const wrong = ['001-right.sql', '002-wrong.sql'].map(name => `test/store/postgres/fixtures/${name}`)
      await expect(migrate(connected, wrong)).rejects.toThrow(
        /the migration test\/store\/postgres\/fixtures\/002-wrong\.sql failed \(.*\)\. Nothing was changed: it still has schema 0\./,
      )
    } finally {
      await connected.close()
    }
    expect(await database.run("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([])
  })

  test.each([
    [
      'a missing database',
      (url: URL) => Object.assign(url, { pathname: '/nowhere' }),
      'there is no such database. Create it',
    ],
    ['a wrong port', (url: URL) => Object.assign(url, { port: '1' }), 'no PostgreSQL answers there.'],
  ])('%s is named in a sentence, without the password', async (_, change, sentence) => {
    const url = change(Object.assign(new URL(database.url), { password: 'hidden' })).href
    const failure = (await open(url).catch((error: unknown) => error)) as Error
    expect(failure.name).toBe('OperatorError')
    expect(failure.message).toContain(sentence)
    expect(failure.message).not.toContain('hidden')
  })

  test('texts that are keys or sorted have the order of their bytes', async () => {
    await open()
    const rows = await database.run(`SELECT table_name || '.' || column_name AS place FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
        AND (column_name ~ '(^|_)id$' OR column_name IN ('domain', 'budget', 'idempotency_key'))`)
    expect(rows).toEqual([])
  })
})
