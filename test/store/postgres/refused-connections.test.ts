import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedPostgres, startGuardedPostgres } from '../../support/postgres/guarded-postgres.ts'
import { findPostgres } from '../../support/postgres/test-database.ts'
import { runQuire } from '../../support/process.ts'

const found = await findPostgres()

let guarded: GuardedPostgres
let place: string
beforeAll(async () => {
  if ('missing' in found) return
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

describe.skipIf('missing' in found)('a PostgreSQL that asks for a password', () => {
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

  test('a password in a file is used without a warning', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-password-'))
    const file = join(folder, 'pgpass')
    writeFileSync(file, `127.0.0.1:${new URL(guarded.url).port}:docs:ada:hidden\n`, { mode: 0o600 })
    expect(await list(address('ada'), { PGPASSFILE: file })).toMatchObject({ code: 0, stderr: '' })
    rmSync(folder, { recursive: true })
  })
})

describe.skipIf('missing' in found)('a PostgreSQL with TLS', () => {
  const env = { PGPASSWORD: 'hidden' }
  const look = async (search: string, certificate?: 'signed' | 'expired' | 'selfSigned', host = '127.0.0.1') => {
    if (certificate) await guarded.present(certificate)
    const url = new URL(address('ada', search))
    url.hostname = host
    const { code, stdout, stderr } = await list(url.href, env)
    return code === 0 && stderr === '' ? 'works' : { code, stdout, stderr }
  }
  const failed = (reason: string, host?: string) => ({
    code: 1,
    stdout: '',
    stderr: `Cannot use ${host ? place.replace('127.0.0.1', host) : place}: ${reason}\n`,
  })

  test('sslmode is refused by a server without it, and no warning precedes the sentence', async () => {
    for (const mode of ['require', 'verify-full']) {
      expect(await look(`?sslmode=${mode}`)).toEqual(
        failed(
          'it has no TLS, which sslmode in the address or PGSSLMODE asks for. Turn it on there (ssl = on), or use sslmode=disable in a network that you trust.',
        ),
      )
    }
  })

  test('a certificate must be from a known authority', async () => {
    const untrusted =
      'its certificate is not from a known authority. Add sslrootcert=FILE with the certificate of the authority to the address.'
    expect(await look('?sslmode=require', 'signed')).toEqual(failed(untrusted))
    expect(await look(`?sslmode=verify-ca&sslrootcert=${guarded.authority}`)).toBe('works')
    expect(await look('?sslmode=no-verify')).toBe('works')
  })

  test('a certificate must have the name of the host', async () => {
    expect(await look(`?sslmode=require&sslrootcert=${guarded.authority}`, 'signed', 'localhost')).toEqual(
      failed(
        'its certificate is for another host. Use a name of the certificate in the address, or renew the certificate with this one.',
        'localhost',
      ),
    )
  })

  test('a self-signed certificate must be given, and an expired one is refused', async () => {
    expect(await look('?sslmode=verify-full', 'selfSigned')).toEqual(
      failed('its certificate is self-signed. Add sslrootcert=FILE with this certificate to the address.'),
    )
    expect(await look(`?sslmode=verify-full&sslrootcert=${guarded.authority}`, 'expired')).toEqual(
      failed('its certificate has expired. Renew it on the server.'),
    )
  })

  test('files that cannot be used are named by their parameter', async () => {
    expect(await look('?sslmode=verify-full&sslrootcert=/nowhere/ca.crt', 'signed')).toEqual(
      failed('the file of sslrootcert cannot be read (ENOENT). Correct its path or its rights.'),
    )
    expect(await look('?sslmode=verify-full&sslrootcert=.')).toEqual(
      failed('the file of sslrootcert, sslcert or sslkey cannot be read (EISDIR). Correct its path or its rights.'),
    )
    expect(await look('?sslmode=verify-full&sslcert=package.json&sslkey=package.json')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Cannot use .+: a file of sslrootcert, sslcert or sslkey is not .+\n$/),
    })
  })
})
