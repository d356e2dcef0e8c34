import { execFile, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuiltBinary } from '../../scripts/build-binary/build-binary.ts'
import { sqliteVersion } from '../../server/store/sqlite-version.ts'
import { startServer } from '../export/static-server.ts'
import { root } from './installed-package.ts'

const run = promisify(execFile)

let work: string
let built: BuiltBinary
let quire: string
/** An environment in which nothing but the binary can be found. */
let env: NodeJS.ProcessEnv

async function build(folder: string): Promise<BuiltBinary> {
  const args = ['scripts/build-binary.ts', '--json', '--output', join(work, folder)]
  const { stdout } = await run(process.execPath, args, { cwd: root })
  return JSON.parse(stdout)[0]
}

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'quire-binary-'))
  built = await build('first')
  quire = join(work, 'quire')
  copyFileSync(built.file, quire)
  env = { HOME: join(work, 'home'), PATH: '/nowhere' }
  mkdirSync(join(work, 'home'))
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

const call = (...args: string[]) => run(quire, args, { cwd: work, env })

/** Starts `quire serve`, and returns its address. */
async function serve(data: string, ...args: string[]) {
  const child = spawn(quire, ['serve', '--port', '0', '--drain-seconds', '0', '--data', data, ...args], {
    cwd: work,
    env,
  })
  const ended = new Promise<number | null>(done => child.on('exit', done))
  let output = ''
  const url = await new Promise<string>((done, failed) => {
    child.on('exit', () => failed(new Error(output)))
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => {
        output += chunk
        const found = /"url":"([^"]+)"/.exec(output)?.[1]
        if (found) done(found)
      })
    }
  })
  const end = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url, end, output: () => output }
}

test('the same sources give the same bytes, in another folder too', async () => {
  expect((await build('second')).sha256).toBe(built.sha256)
  expect(readdirSync(join(work, 'second'))).toEqual(['quire-linux-x64'])
})

// Node is nearly all of it. The rest are packages, both documents and the lists of agents and addresses.
test('the binary has at most 133 MB', () => expect(built.sizeBytes).toBeLessThan(133_000_000))

test('it says its versions, and the licenses of what is inside, without Node', async () => {
  const versions = JSON.parse((await call('version', '--json')).stdout)
  expect(versions).toMatchObject({ binary: true, system: 'linux-x64', node: process.versions.node })
  const licenses = JSON.parse((await call('licenses', '--json')).stdout) as { name: string; text: string }[]
  const names = licenses.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['Quire', 'Node.js', 'SQLite', 'better-sqlite3', 'express', 'undici']))
  expect(names).not.toContain('typescript')
  expect(licenses.find(({ name }) => name === 'Node.js')?.text).toContain('OpenSSL')
})

test('it sets up a folder, imports a log, serves the API and its documentation, and exports a site', async () => {
  const data = join(work, 'data')
  const { stdout } = await call('init', '--yes', '--json', '--data', data)
  const { project, key } = JSON.parse(stdout)
  const line =
    '203.0.113.7 - - [20/Nov/2026:10:00:00 +0000] "GET /guide HTTP/1.1" 200 9 "-" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"\n'
  const log = join(work, 'access.log')
  writeFileSync(log, line)
  // Both threads of visits run: one follows the log, one counts.
  const server = await serve(data, '--follow-log', `${log}=${project.id}`, '--visitor-retention-days', '3650')
  try {
    const ask = async (path: string) => {
      const response = await fetch(server.url + path, { headers: { Authorization: `Bearer ${key.key}` } })
      return { status: response.status, text: await response.text() }
    }
    const visitors = () => ask(`/v1/analytics/${project.id}/visitors?limit=50`)
    await expect.poll(async () => JSON.parse((await visitors()).text).totals?.human, { timeout: 20_000 }).toBe(1)
    expect(await ask('/docs/binary')).toMatchObject({ status: 200, text: expect.stringContaining('Single binary') })
    expect((await ask('/openapi.yaml')).text).toContain('openapi: 3.1')
  } finally {
    expect(await server.end(), server.output()).toBe(0)
  }
  const site = await startServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html')
    res.end('<!doctype html><html lang="en"><title>Docs</title><h1>Docs</h1><p>One page with some text.</p></html>')
  })
  try {
    const args = ['export', site.origin.href, '--verify', 'static', '--offline-search', '-o', join(work, 'docs.tar.gz')]
    expect((await call(...args)).stdout).toMatch(/docs\.tar\.gz: 1 pages?, /)
  } finally {
    await site.close()
  }
})

test('SQLite is placed once, in the cache folder of the user', async () => {
  await call('orgs', 'list', '--data', join(work, 'data'))
  const placed = globSync('.cache/quire/*', { cwd: join(work, 'home') })
  expect(placed).toEqual([expect.stringMatching(/better_sqlite3-[0-9a-f]{16}\.node$/)])
})

test('where the cache does not let programs run, the data folder holds SQLite, and threads load the same file', async () => {
  const data = join(work, 'data')
  const other = { ...env, XDG_CACHE_HOME: '/dev/null' }
  const { stdout } = await run(quire, ['orgs', 'list', '--json', '--data', data], { cwd: work, env: other })
  expect(JSON.parse(stdout)).toHaveLength(1)
  expect(readdirSync(data).filter(name => name.startsWith('better_sqlite3-'))).toHaveLength(1)
  // A folder in which others can write may not hold it either.
  chmodSync(data, 0o777)
  const nowhere = run(quire, ['orgs', 'list', '--data', data], { cwd: work, env: other })
  await expect(nowhere).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /SQLite cannot be loaded, because no folder can hold it\. .*Set XDG_CACHE_HOME to a folder/,
    ),
  })
  chmodSync(data, 0o700)
  const version = await run(quire, ['version'], { cwd: work, env: { ...other, QUIRE_DATA: '/dev/null' } })
  expect(version.stdout).toContain(`SQLite ${sqliteVersion}`)
})

test('help and messages name commands that work without npx', async () => {
  const { stdout } = await call('keys', '--help')
  expect(stdout).toContain('\n  quire keys revoke "ci"')
  expect(stdout).not.toContain('npx')
})

test('other programs than the system libraries are not needed', () => {
  const { stdout } = spawnSync('readelf', ['-d', quire], { encoding: 'utf8' })
  const needed = [...stdout.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name)
  const documented = readFileSync(join(root, 'server/docs/pages/binary.md'), 'utf8')
  const ofGlibc = /^(libc|libm|libdl|libpthread|ld-linux-x86-64)\.so/
  expect(needed.filter(name => !ofGlibc.test(name ?? '') && !documented.includes(`\`${name}\``))).toEqual([])
  expect(existsSync(join(work, 'node_modules'))).toBe(false)
})
