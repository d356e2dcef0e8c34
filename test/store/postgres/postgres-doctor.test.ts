import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toLine } from '../../analytics/follow/numbered-lines.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'
import { runQuire } from '../../support/process.ts'

const found = await findPostgres()
const skipped = 'missing' in found ? `, skipped: ${found.missing}` : ''

let folder: string
beforeEach(context => {
  folder = mkdtempSync(join(tmpdir(), 'quire-postgres-doctor-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})
const data = () => join(folder, 'data')
const quire = (...args: string[]) => runQuire([...args, '--data', data()])

describe.skipIf('missing' in found)(`the state and the keys of a PostgreSQL database${skipped}`, () => {
  let database: TestDatabase
  let url: string
  beforeAll(async () => {
    database = await createTestDatabase((found as { url: string }).url)
    url = database.url
  })
  afterAll(() => database?.drop())

  test('doctor says that a database is read-only', async () => {
    await quire('orgs', 'create', 'Standby', '--database', url)
    const name = new URL(url).pathname.slice(1)
    await database.run(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`)
    try {
      const { code, stdout } = await quire('doctor', '--json', '--database', url)
      expect(code).toBe(1)
      expect(JSON.parse(stdout).findings).toContainEqual(
        expect.objectContaining({
          level: 'failure',
          message: 'The PostgreSQL database can be reached, but it is read-only.',
        }),
      )
    } finally {
      const reset = `SET default_transaction_read_only = off; ALTER DATABASE "${name}" RESET default_transaction_read_only`
      await database.run(reset)
    }
  })

  test('doctor and a server that follows a log refuse another visitor key', async () => {
    await quire('orgs', 'create', 'Keys', '--database', url)
    const created = await quire('projects', 'create', 'Kept', '--org', 'Keys', '--json', '--database', url)
    const { id } = JSON.parse(created.stdout) as { id: string }
    const log = join(folder, 'kept.log')
    writeFileSync(log, toLine(1))
    expect((await quire('visits', 'import', log, '--project', id, '--database', url)).code).toBe(0)

    writeFileSync(join(folder, 'other.key'), 'b'.repeat(64))
    const env = { QUIRE_DATABASE: url, QUIRE_VISITOR_KEY_FILE: join(folder, 'other.key') }
    const doctor = await runQuire(['doctor', '--json', '--data', data()], { env })
    expect(JSON.parse(doctor.stdout).findings).toContainEqual(
      expect.objectContaining({ level: 'failure', message: expect.stringContaining('has another visitor key') }),
    )
    const follow = ['--port', '0', '--follow-log', `${log}=${id}`]
    const wrong = await runQuire(['serve', '--data', data(), ...follow], { env })
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('other.key is another key than the one that visitors were counted with')
    const empty = join(folder, 'empty')
    const missing = await runQuire(['serve', '--data', empty, ...follow], { env: { QUIRE_DATABASE: url } })
    expect(missing.code).toBe(1)
    expect(missing.stderr).toContain('name a copy with --visitor-key-file')
  })

  test('doctor compares a followed log with what was read into the database', async ({ onTestFinished }) => {
    // Visitors of another test were counted with another key.
    const own = await createTestDatabase((found as { url: string }).url)
    onTestFinished(() => own.drop())
    const { url } = own
    await quire('orgs', 'create', 'Logs', '--database', url)
    const created = await quire('projects', 'create', 'Read', '--org', 'Logs', '--json', '--database', url)
    const { id } = JSON.parse(created.stdout) as { id: string }
    const log = join(folder, 'read.log')
    const env = { QUIRE_DATABASE: url, QUIRE_FOLLOW_LOG: `${log}=${id}`, QUIRE_FOLLOW_LOG_BY_HOST: log }
    const check = async () => {
      const { findings } = JSON.parse((await runQuire(['doctor', '--json', '--data', data()], { env })).stdout)
      return findings
        .filter(({ check }: { check: string }) => check === 'logs')
        .map(({ level }: { level: string }) => level)
    }
    writeFileSync(log, toLine(1))
    expect(await check()).toEqual(['warning', 'warning'])
    expect((await quire('visits', 'follow', log, '--project', id, '--once', '--database', url)).code).toBe(0)
    expect((await check()).sort()).toEqual(['ok', 'warning'])
  })
})
