import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'
import { runQuire } from '../../support/process.ts'

const postgres = await findPostgres()

describe.skipIf('missing' in postgres)('a database on PostgreSQL', () => {
  let database: TestDatabase
  let place: string
  beforeAll(async () => {
    database = await createTestDatabase((postgres as { url: string }).url)
    const { pathname, host } = new URL(database.url)
    place = `the database ${pathname.slice(1)} at ${host}`
  })
  afterAll(() => database?.drop())
  beforeEach(() => database.clear())

  const migrate = async () => (await openPostgresStore(database.url)).close()
  const quire = (args: string[], url = database.url) => runQuire([...args, '--database', url])
  const failed = (sentence: string) => ({ code: 1, stdout: '', stderr: `${sentence}\n` })

  describe('that is read-only', () => {
    const name = () => new URL(database.url).pathname.slice(1)
    const set = (to: string) => database.run(`ALTER DATABASE ${name()} SET default_transaction_read_only = ${to}`)

    test('is read, and a write says so', async () => {
      await migrate()
      await set('on')
      try {
        expect(await quire(['orgs', 'list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' })
        expect(await quire(['orgs', 'create', 'Acme'])).toEqual(failed('The database is read-only. Try again later.'))
        await database.clear()
        expect(await quire(['orgs', 'list'])).toEqual(
          failed(
            `Cannot use ${place}: it is read-only. Give the address of the primary, or check default_transaction_read_only of the role and the database.`,
          ),
        )
      } finally {
        await database.run(`BEGIN READ WRITE; ALTER DATABASE ${name()} RESET default_transaction_read_only; COMMIT`)
      }
    })
  })

  test.each([
    ['orders', 'CREATE TABLE orders (id integer)'],
    ['projects', 'CREATE TABLE projects (id integer)'],
    ['schema_version', 'CREATE TABLE schema_version (version integer); INSERT INTO schema_version VALUES (1)'],
    ['schema_version', 'CREATE TABLE schema_version (version_rank integer, version text); CREATE TABLE export_jobs ()'],
  ])('with a table %s of another program is refused, and nothing is created', async (_, sql) => {
    await database.run(sql)
    const list = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname"
    const before = await database.run(list)
    expect(await quire(['orgs', 'list'])).toEqual(
      failed(`Cannot use ${place}: it has tables of another program. Create a database for Quire alone.`),
    )
    expect(await database.run(list)).toEqual(before)
  })

  test('with the objects of an extension is used', async () => {
    await database.run('CREATE TABLE extended (id integer); ALTER EXTENSION plpgsql ADD TABLE extended')
    try {
      await migrate()
    } finally {
      await database.run('ALTER EXTENSION plpgsql DROP TABLE extended')
    }
  })

  test('with a search_path to no schema is refused', async () => {
    const url = `${database.url}?options=-c%20search_path%3Dnowhere`
    expect(await quire(['orgs', 'list'], url)).toEqual(
      failed(
        `Cannot use ${place}: its search_path names no schema that exists. Create the schema, or correct options= in the address.`,
      ),
    )
  })

  test.each([
    ['table sites', 'DROP TABLE sites CASCADE'],
    ['column sites.domain', 'ALTER TABLE sites DROP COLUMN domain CASCADE'],
  ])('that lost the %s is called damaged', async (lost, sql) => {
    await migrate()
    await database.run("INSERT INTO organizations (id, name, plan, created_at) VALUES ('org_1', 'Acme', 'standard', 0)")
    await database.run(sql)
    expect(await quire(['sites', 'list', '--org', 'Acme'])).toEqual(
      failed(`The database is damaged: the ${lost} is missing. Restore it from a dump.`),
    )
  })
})
