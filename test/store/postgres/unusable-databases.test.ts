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
})
