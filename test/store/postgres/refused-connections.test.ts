import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedPostgres, startGuardedPostgres } from '../../support/postgres/guarded-postgres.ts'
import { findPostgres } from '../../support/postgres/test-database.ts'
import { runQuire } from '../../support/process.ts'

const found = await findPostgres()

describe.skipIf('missing' in found)('a PostgreSQL that asks for a password', () => {
  let guarded: GuardedPostgres
  let place: string
  beforeAll(async () => {
    const started = await startGuardedPostgres()
    if ('missing' in started) throw new Error(started.missing)
    guarded = started
    await guarded.run("CREATE ROLE ada LOGIN PASSWORD 'hidden'")
    await guarded.run('CREATE DATABASE docs OWNER ada')
    place = `the database docs at ${new URL(guarded.url).host}`
  })
  afterAll(() => guarded?.stop())

  const address = (user: string, search = '') =>
    Object.assign(new URL(guarded.url), { username: user, pathname: '/docs', search }).href
  const list = (url: string, env: Record<string, string> = {}) => runQuire(['orgs', 'list', '--database', url], { env })

  test('a missing password is named at once', async () => {
    const startedAt = performance.now()
    const { code, stderr } = await list(address('ada'))
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Cannot use ${place}: it wants a password. Set PGPASSWORD, or put the password into QUIRE_DATABASE.\n`,
    })
    // The server waits a minute for a password.
    expect(performance.now() - startedAt).toBeLessThan(45_000)
  })

  test.each([
    ['nobody', 'hidden'],
    ['ada', 'wrong'],
  ])('the user %s with the password %s is refused as one of both', async (user, password) => {
    expect(await list(address(user), { PGPASSWORD: password })).toEqual({
      code: 1,
      stdout: '',
      stderr: `Cannot use ${place}: the user or the password is wrong.\n`,
    })
  })

  test('a role without connections left is told which limits to raise', async () => {
    await guarded.run("CREATE ROLE crowd LOGIN PASSWORD 'hidden' CONNECTION LIMIT 0")
    const { code, stderr } = await list(address('crowd'), { PGPASSWORD: 'hidden' })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Cannot use ${place}: it has no connection left. Raise max_connections, or the limit of the role or the database: see the page "Several servers".\n`,
    })
  })
})
