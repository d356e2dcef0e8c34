import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { sqliteVersion } from '../../server/store/sqlite-version.ts'
import { main, runQuire } from '../support/process.ts'
import { runProgram } from '../support/program.ts'

const root = mkdtempSync(join(tmpdir(), 'quire-version-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Node ignores an empty variable. */
const noCache = { NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: '' }

test('the version of SQLite is that of its addon', () => {
  const database = new Database(':memory:')
  expect(database.prepare('SELECT sqlite_version()').pluck().get()).toBe(sqliteVersion)
  database.close()
})

test('quire version loads no addon', async () => {
  const refuse = "process.dlopen = () => { throw new Error('An addon was loaded.') }"
  const { code, stdout } = await runProgram([
    `--import=data:text/javascript,${encodeURIComponent(refuse)}`,
    main,
    'version',
    '--json',
  ])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ sqlite: sqliteVersion })
})

describe('quire version ends and leaves nothing behind', () => {
  test.runIf(process.platform === 'linux').each([
    ['HOME', '/proc/self/nothing'],
    ['XDG_CACHE_HOME', '/proc/1/nothing'],
  ])('with %s=%s', async (name, path) => {
    expect(await runQuire(['version'], { env: { ...noCache, [name]: path } })).toMatchObject({ code: 0, stderr: '' })
  })

  test('with a home that does not exist', async () => {
    const home = join(root, 'missing')
    expect(await runQuire(['version'], { env: { ...noCache, HOME: home } })).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(home)).toBe(false)
  })

  test('with / as the home', async () => {
    const before = existsSync('/.cache/quire')
    expect(await runQuire(['version'], { env: { ...noCache, HOME: '/' } })).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync('/.cache/quire')).toBe(before)
  })
})

test('compiled code is kept in the home of the user, or in the cache folder that the environment names', async () => {
  const home = join(root, 'home')
  mkdirSync(home)
  await runQuire(['version'], { env: { ...noCache, HOME: home } })
  expect(readdirSync(join(home, '.cache/quire/compiled'))).not.toEqual([])
  await runQuire(['version'], { env: { ...noCache, HOME: home, XDG_CACHE_HOME: join(root, 'cache') } })
  expect(readdirSync(join(root, 'cache/quire/compiled'))).not.toEqual([])
})
