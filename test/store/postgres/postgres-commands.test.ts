import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toLine } from '../../analytics/follow/numbered-lines.ts'
import { waitFor } from '../../support/export-site.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'
import { calledAs, runQuire, startServe } from '../../support/process.ts'

const found = await findPostgres()
const skipped = 'missing' in found ? `, skipped: ${found.missing}` : ''

let folder: string
beforeEach(context => {
  folder = mkdtempSync(join(tmpdir(), 'quire-postgres-commands-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})
const data = () => join(folder, 'data')
const quire = (...args: string[]) => runQuire([...args, '--data', data()])

describe.skipIf('missing' in found)(`on PostgreSQL${skipped}`, () => {
  let database: TestDatabase
  /** With a password, which the server does not ask for. */
  let url: string
  beforeAll(async () => {
    database = await createTestDatabase((found as { url: string }).url)
    url = database.url.replace(/\/\/([^:@]*)(:[^@]*)?@/, '//$1:hidden@')
  })
  afterAll(() => database?.drop())

  test('commands set up what a server with the same address serves, and the password is shown nowhere', async () => {
    const created = await quire('init', '--yes', '--json', '--database', url, '--site', 'docs.example.com')
    expect({ code: created.code, stderr: created.stderr }).toEqual({ code: 0, stderr: '' })
    const { project, key } = JSON.parse(created.stdout)

    const server = await startServe(['--data', data(), '--log-level', 'trace'], { env: { QUIRE_DATABASE: url } })
    const headers = { Authorization: `Bearer ${key.key}`, 'Content-Type': 'application/json' }
    const unknown = await fetch(`${server.url}/v2/agent/${project.id}/job/none`, { headers })
    expect(unknown.status).toBe(404)
    const body = JSON.stringify({ domain: 'docs.example.com' })
    const started = await fetch(`${server.url}/v1/static-export/jobs`, { method: 'POST', headers, body })
    expect(started.status).toBe(202)
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready' })
    const { jobId } = (await started.json()) as { jobId: string }
    const listed = await quire('exports', 'list', '--org', 'Main', '--json', '--database', url)
    expect(JSON.parse(listed.stdout)).toMatchObject([{ jobId }])
    expect(await server.end('SIGTERM')).toBe(0)

    const examined = await quire('doctor', '--json', '--database', url)
    expect(JSON.parse(examined.stdout).findings).toContainEqual({
      check: 'databases',
      level: 'ok',
      message: 'The PostgreSQL database can be reached and has the newest schema.',
      remedy: null,
    })
    const elsewhere = ['doctor', '--json', '--data', join(folder, 'none'), '--database', url]
    expect((await runQuire(elsewhere)).stdout).not.toContain('There is no data folder')
    const outputs = [created, listed, examined].map(({ stdout, stderr }) => stdout + stderr)
    expect([...outputs, server.output()].join('')).not.toContain('hidden')
  })

  test('a log is counted with a key that other machines have, and with no other', async () => {
    const created = await quire('projects', 'create', 'Visited', '--org', 'Main', '--json', '--database', url)
    const { id } = JSON.parse(created.stdout) as { id: string }
    const log = join(folder, 'access.log')
    writeFileSync(log, [0, 1, 2, 0].map(visitor => toLine(visitor)).join(''))
    const importWith = (keyFile: string, key: string) => {
      writeFileSync(join(folder, keyFile), key)
      const env = { QUIRE_DATABASE: url, QUIRE_VISITOR_KEY_FILE: join(folder, keyFile) }
      return runQuire(['visits', 'import', log, '--project', id, '--json', '--data', data()], {
        env,
      })
    }
    const first = await importWith('visitor.key', `${'a'.repeat(64)}\n`)
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(first.stdout)).toMatchObject({ newVisitorDays: 3 })
    expect(JSON.parse((await importWith('same.key', 'A'.repeat(64))).stdout)).toMatchObject({ newVisitorDays: 0 })
    const other = await importWith('other.key', 'b'.repeat(64))
    expect({ code: other.code, stdout: other.stdout }).toEqual({ code: 1, stdout: '' })
    expect(other.stderr).toContain('--visitor-key-file')
    const shown = await quire('visits', 'show', '--project', id, '--json', '--database', url)
    expect(JSON.parse(shown.stdout)).toMatchObject({ totals: { human: 3, ai: 0, total: 3 } })
  })

  test('a follower with the name of another continues where that one stopped', async () => {
    // Each test has its own folder, with keys of its own.
    await database.clear()
    await quire('orgs', 'create', 'Followers', '--database', url)
    const created = await quire('projects', 'create', 'Followed', '--org', 'Followers', '--json', '--database', url)
    const { id } = JSON.parse(created.stdout) as { id: string }
    const log = join(folder, 'followed.log')
    writeFileSync(log, toLine(1) + toLine(2))
    writeFileSync(join(folder, 'visitor.key'), 'a'.repeat(64))
    const follow = async (env: Record<string, string>, ...flags: string[]) => {
      const settings = { QUIRE_DATABASE: url, QUIRE_VISITOR_KEY_FILE: join(folder, 'visitor.key'), ...env }
      const args = ['visits', 'follow', log, '--project', id, '--once', '--json', '--data', data(), ...flags]
      const { code, stdout, stderr } = await runQuire(args, { env: settings })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').lines
    }
    expect(await follow({}, '--node', 'proxy-1')).toBe(2)
    writeFileSync(log, toLine(3), { flag: 'a' })
    expect(await follow({ QUIRE_NODE: 'proxy-1' })).toBe(1)
    expect(await follow({}, '--node', 'proxy-2')).toBe(3)

    const env = { QUIRE_DATABASE: url, QUIRE_VISITOR_KEY_FILE: join(folder, 'visitor.key'), QUIRE_NODE: 'proxy-3' }
    const server = await startServe(['--data', data(), '--follow-log', `${log}=${id}`], { env })
    const listNodes = async () =>
      (await database.run('SELECT node FROM log_positions ORDER BY node')).map(({ node }) => node)
    await waitFor(async () => ((await listNodes()).length === 3 ? true : undefined))
    expect(await listNodes()).toEqual(['proxy-1', 'proxy-2', 'proxy-3'])
    expect(await server.end('SIGTERM')).toBe(0)
  })

  test.skipIf(process.env.QUIRE_TEST_BINARY)('without the driver, the command says what to install', async () => {
    const hide = `data:text/javascript,import { registerHooks } from 'node:module'; registerHooks({ resolve(name, context, next) {
      if (name === 'pg') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' }); return next(name, context) } })`
    const env = { NODE_OPTIONS: `--import=${encodeURI(hide).replaceAll("'", '%27')}` }
    const { code, stderr } = await runQuire(['orgs', 'list', '--database', url], { env })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^--database needs the package pg, .+\n$/),
    })
  })
})

const unreachable = 'postgres://ada:hidden@127.0.0.1:1/docs'

test.each<[string[], number, string]>([
  [
    ['orgs', 'list', '--database', unreachable],
    1,
    'Cannot use the database docs at 127.0.0.1:1: no PostgreSQL answers there.',
  ],
  [['orgs', 'list', '--database', 'mysql://ada:hidden@db.example.com/docs'], 2, '--database must be like postgres://'],
  [['orgs', 'list', '--database', 'postgres://ada:hidden@db.example.com'], 2, 'It names no database.'],
  [['orgs', 'list', '--database', 'postgres://ada:hidden%@db.example.com/docs'], 2, 'such as %25 for a percent sign'],
  [['orgs', 'list', '--database', `${unreachable}?sslmod=require`], 2, 'parameter sslmod. Did you mean sslmode?'],
  [
    ['orgs', 'list', '--database', `${unreachable}?connect_timeout=5`],
    2,
    'parameter connect_timeout. Known are sslmode,',
  ],
  [
    ['orgs', 'list', '--database', `${unreachable}?sslmode=requir`],
    2,
    'must be one of disable, prefer, require, verify-ca',
  ],
  [['backup', 'copy.tar', '--database', unreachable], 2, `${calledAs} backup works on a data folder`],
  [['backup', 'copy.tar', '--database', unreachable], 2, 'with pg_dump'],
  [['restore', 'copy.tar', '--database', unreachable], 2, 'with pg_restore'],
  [['upgrade', '--database', unreachable], 1, 'no PostgreSQL answers there'],
  [['downgrade', '--to', '0.1.0', '--database', unreachable], 1, 'no PostgreSQL answers there'],
  [['demo', '--database', unreachable], 2, `run ${calledAs} init`],
  [['init', '--yes', '--unit', 'quire.service', '--database', unreachable], 2, 'EnvironmentFile'],
])('%j exits with %d, says what to do, and does not repeat the password', async (args, want, text) => {
  const { code, stdout, stderr } = await quire(...args)
  expect({ code, stdout, stderr }).toEqual({ code: want, stdout: '', stderr: expect.stringContaining(text) })
  expect(stderr).not.toContain('hidden')
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).not.toMatch(/^This /)
})

test('doctor names a database that cannot be used', async () => {
  const { code, stdout } = await quire('doctor', '--json', '--database', unreachable)
  expect(code).toBe(1)
  expect(JSON.parse(stdout).findings).toContainEqual(
    expect.objectContaining({
      check: 'databases',
      level: 'failure',
      message: 'The PostgreSQL database cannot be used.',
    }),
  )
  expect(stdout).not.toContain('hidden')
})

test.skipIf(process.env.QUIRE_TEST_BINARY)(
  'a server without --database and --bundles loads no package for them',
  async () => {
    const file = join(folder, 'modules')
    const env = { QUIRE_TEST_MODULES: file, NODE_OPTIONS: `--import=${resolve('test/support/record-modules.ts')}` }
    const server = await startServe(['--data', data()], { env })
    expect((await fetch(`${server.url}/docs/`)).status).toBe(200)
    expect(await server.end('SIGTERM')).toBe(0)
    const packages = new Set(
      [...readFileSync(file, 'utf8').matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(([, name = '']) => name),
    )
    expect(packages).toContain('better-sqlite3')
    expect([...packages].filter(name => /^(pg$|pg-|@aws-sdk\/|@smithy\/)/.test(name))).toEqual([])
  },
)
