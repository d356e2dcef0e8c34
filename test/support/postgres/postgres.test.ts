import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { findPrograms, startPostgres } from './start-postgres.ts'
import { createTestDatabase, findPostgres } from './test-database.ts'

const found = await findPostgres()

test.skipIf('missing' in found)('each test file has a database of its own, in the order of a language', async () => {
  const { url } = found as { url: string }
  const [one, other] = [await createTestDatabase(url), await createTestDatabase(url)]
  await one.run('CREATE TABLE here (name text)')
  await one.run("INSERT INTO here VALUES ('B'), ('a')")
  expect(await one.run('SELECT name FROM here ORDER BY name')).toEqual([{ name: 'a' }, { name: 'B' }])
  await expect(other.run('SELECT name FROM here')).rejects.toThrow('does not exist')
  await one.clear()
  await expect(one.run('SELECT name FROM here')).rejects.toThrow('does not exist')
  await one.drop()
  await other.drop()
})

test('a server that cannot be used is named with the reason, without its password', async () => {
  vi.stubEnv('QUIRE_TEST_POSTGRES', 'postgres://ada:hidden@127.0.0.1:1/docs')
  const { found, stop } = await startPostgres()
  await stop()
  vi.unstubAllEnvs()
  const missing = 'missing' in found ? found.missing : ''
  expect(missing).toContain('postgres://ada@127.0.0.1:1/docs cannot be used: connect ECONNREFUSED')
  expect(missing).not.toContain('hidden')
})

test('programs in PATH that are too old are passed over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-programs-'))
  const install = (version: number) => {
    for (const name of ['initdb', 'postgres']) {
      writeFileSync(join(folder, name), `#!/bin/sh\necho 'postgres (PostgreSQL) ${version}.4'\n`)
      chmodSync(join(folder, name), 0o755)
    }
    return findPrograms(['/nowhere', folder].join(delimiter), '/nowhere/*')
  }
  expect(install(14)).toBeUndefined()
  expect(install(18)).toBe(folder)
  rmSync(folder, { recursive: true })
})
