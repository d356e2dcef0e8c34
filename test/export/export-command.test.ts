import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OperatorError } from '../../server/base/operator-error.ts'
import { exportCommand } from '../../server/commands/export.ts'
import { runQuire, startQuire } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { page, startFakeSite } from './fake-site.ts'
import { readArchive, readEntry } from './read-archive.ts'
import { type RunningServer, startServer } from './static-server.ts'

const random = createRandom('endless links')
let folder = ''
let site: RunningServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-command-'))
  site = await startFakeSite(path => {
    if (path === '/endless' || path.startsWith('/endless/'))
      return page(path, `<a href="/endless/${random()}">x</a><a href="/endless/${random()}">y</a>`)
    const known: Record<string, string> = {
      '/': page('home', '<a href="/a">a</a><a href="/gone">b</a>'),
      '/a': page('a'),
      '/robots.txt': 'User-agent: *\nDisallow: /a',
    }
    return (
      known[path] &&
      (path === '/robots.txt' ? { body: known[path], headers: { 'content-type': 'text/plain' } } : known[path])
    )
  })
})

afterAll(async () => {
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

const env = { PUPPETEER_EXECUTABLE_PATH: '/nonexistent/chromium' }

test('exports a URL and says what came of it', async () => {
  const file = join(folder, 'docs.zip')
  const { code, stdout, stderr } = await runQuire(['export', site.origin.href, '-o', file, '--ignore-robots'], { env })
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /docs\.zip: 2 pages, 0\.0 MB, [\d.]+ s\nsha256 [0-9a-f]{64}\nNo Chromium was found: .+\n1 link to a missing page; see export-report\.html in the bundle\n$/,
    ),
  ])
  expect(stderr).toMatch(/^Looking for pages\nFetching: \d of \d pages\n(.*\n)*Packing: 1 of 2 pages\n$/)
  expect(readArchive(file).map(({ name }) => name)).toEqual([
    'a/index.html',
    'export-report.html',
    'export-report.json',
    'index.html',
  ])
})

test('prints JSON for programs, takes a domain with its origin, and chooses the format by the name', async () => {
  const file = join(folder, 'docs.tgz')
  const args = [
    'export',
    'docs.example.com',
    '--origin',
    site.origin.href,
    '-o',
    file,
    '--json',
    '--label',
    'v1',
    '--path',
    '/a',
    '--path',
    '/',
  ]
  const { code, stdout } = await runQuire(args, { env })
  const result = JSON.parse(stdout)
  expect(code).toBe(0)
  expect(result).toMatchObject({
    file,
    format: 'tar.gz',
    pageCount: 2,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    report: { domain: 'docs.example.com', version: 'v1', pages: 2 },
  })
  expect(JSON.parse(readEntry(readArchive(file), 'export-report.json'))).toEqual(result.report)
})

describe('a certificate that is not trusted', () => {
  const pem = (name: string) => join(import.meta.dirname, 'fixtures/tls', `${name}.pem`)
  const file = () => join(folder, 'tls.zip')
  let server: Server
  let port = 0

  beforeAll(async () => {
    server = createServer({ key: readFileSync(pem('key')), cert: readFileSync(pem('certificate')) }, (_, response) =>
      response.setHeader('content-type', 'text/html').end(page('home')),
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })

  afterAll(() => new Promise(resolve => server.close(resolve)))

  test('is told with what would make it so', async () => {
    const url = `https://127.0.0.1:${port}/`
    const { code, stderr } = await runQuire(['export', url, '-o', file()], { env })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /cannot be trusted: the certificate of 127\.0\.0\.1 has no known certificate authority; set NODE_EXTRA_CA_CERTS to the PEM file of the authority\.\n$/,
      ),
    ])
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: pem('certificate') }
    expect(await runQuire(['export', url, '-o', file()], { env: trusting })).toMatchObject({ code: 0 })
  })

  test('may be that of another host', async () => {
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: pem('certificate') }
    const { code, stderr } = await runQuire(['export', `https://localhost:${port}/`, '-o', file()], { env: trusting })
    expect([code, stderr]).toEqual([1, expect.stringContaining("the server's certificate is not for localhost.")])
  })
})

test('obeys robots.txt unless told that the site is one\u2019s own', async () => {
  const file = join(folder, 'robots.zip')
  const { stdout } = await runQuire(['export', site.origin.href, '-o', file, '--json'], { env })
  expect(JSON.parse(stdout)).toMatchObject({
    pageCount: 1,
    report: { skipped: [{ url: '/a', reason: 'refused by robots.txt' }] },
  })
})

test('every flag has an environment twin', async () => {
  const file = join(folder, 'env.zip')
  const { code, stdout } = await runQuire(['export', site.origin.href, '--json'], {
    env: {
      ...env,
      QUIRE_EXPORT_OUTPUT: file,
      QUIRE_EXPORT_FORMAT: 'tar.gz',
      QUIRE_EXPORT_PATHS: '/a /',
      QUIRE_EXPORT_IGNORE_ROBOTS: '1',
      QUIRE_EXPORT_OFFLINE_SEARCH: '1',
    },
  })
  expect(code).toBe(0)
  const search = { offlineSearch: { pages: 2, sections: 2 } }
  expect(JSON.parse(stdout)).toMatchObject({ file, format: 'tar.gz', pageCount: 2, report: search })
  expect(readArchive(file).map(({ name }) => name)).toContain('_quire/search.js')
})

describe('refuses wrong usage with one clear line', () => {
  test.each<[string, string[], RegExp]>([
    ['no output', ['docs.example.com'], /required option '-o, --output <file>'/],
    [
      'no domain',
      ['not a domain', '-o', 'x.zip'],
      /^not a domain is neither a bare host name nor a URL\. Examples: docs\.example\.com, http:\/\/127\.0\.0\.1:3000\/$/,
    ],
    ['another scheme', ['ftp://docs.example.com/', '-o', 'x.zip'], /^The site must be an http\(s\) URL/],
    [
      'a user in the URL',
      ['https://user:secret@docs.example.com/', '-o', 'x.zip'],
      /^The site must be an http\(s\) URL without user/,
    ],
    ['an unknown format', ['docs.example.com', '-o', 'x', '--format', 'rar'], /Allowed choices are zip, tar\.gz/],
    [
      'a path that is none',
      ['docs.example.com', '-o', 'x', '--path', '/a/../b'],
      /^--path \/a\/\.\.\/b must be a path on the site/,
    ],
    ['an empty exclusion', ['docs.example.com', '-o', 'x', '--exclude', ''], /^--exclude is empty\. Give it a value/],
    ['an empty header', ['docs.example.com', '-o', 'x', '--header', ' '], /^--header is empty\. Name one, such as/],
    [
      'a selector that is none',
      ['docs.example.com', '-o', 'x', '--remove-selector', 'a b'],
      /^--remove-selector: "a b" cannot be read/,
    ],
    ['a number that is none', ['docs.example.com', '-o', 'x', '--max-pages', '0'], /It must be a whole number from 1/],
    [
      'a feature that the deployment cannot have',
      ['docs.example.com', '-o', 'x', '--feature', 'search'],
      /^features\.search cannot be on in a deployment that is air-gapped/,
    ],
    ['an unknown feature', ['docs.example.com', '-o', 'x', '--feature', 'coffee'], /^--feature coffee is unknown/],
    [
      'a folder that is not there',
      ['docs.example.com', '-o', '/no/such/folder/x.zip'],
      /^--output \/no\/such\/folder\/x\.zip cannot be written \(the folder \/no\/such\/folder does not exist\)\.$/,
    ],
    ['a folder for a file', ['docs.example.com', '-o', '/'], /^--output \/ is a folder/],
  ])('%s', async (_, args, line) => {
    const command = exportCommand()
      .exitOverride()
      .configureOutput({ writeErr() {} })
    const error = await command.parseAsync(args, { from: 'user' }).catch(error => error)
    expect(error.message).toMatch(line)
    // Commander's own errors become 2 in main.ts.
    if (error instanceof OperatorError) expect(error.exitCode).toBe(2)
    else expect(error).toBeInstanceOf(CommanderError)
  })
})

test.each<[string, string[], number, RegExp]>([
  [
    'wrong usage',
    ['no domain', '-o', 'x.zip'],
    2,
    /^no domain is neither a bare host name nor a URL\. Examples: docs\.example\.com, http:\/\/127\.0\.0\.1:3000\/\n$/,
  ],
  ['a missing flag', ['docs.example.com'], 2, /required option '-o, --output <file>'/],
  [
    'a private address without an origin',
    ['localhost', '-o', join(tmpdir(), 'quire-no.zip')],
    1,
    /localhost is not a public address \(loopback\)/,
  ],
  [
    'nobody there',
    ['http://127.0.0.1:1/', '-o', join(tmpdir(), 'quire-no.zip')],
    1,
    /127\.0\.0\.1:1 cannot be reached \(no server listens/,
  ],
])('%s ends the process with its exit code and one line', async (_, args, exitCode, line) => {
  const { code, stdout, stderr } = await runQuire(['export', ...args], { env })
  expect([code, stdout, stderr.replace(/^Looking for pages\n/, '')]).toEqual([
    exitCode,
    '',
    expect.stringMatching(line),
  ])
})

test.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])('%s ends it within moments and leaves no file', async signal => {
  const inside = mkdtempSync(join(folder, 'stop-'))
  const args = [
    'export',
    new URL('/endless/', site.origin).href,
    '-o',
    join(inside, 'x.zip'),
    '--work-folder',
    inside,
    '--ignore-robots',
  ]
  const program = startQuire(args, { env })
  await program.read(output => output.includes('Fetching'))
  const code = await program.end(signal)
  const stderr = program.stderr()
  expect([code, stderr]).toEqual([1, expect.stringContaining('The export was stopped; nothing was written.')])
  expect(readdirSync(inside)).toEqual([])
})

describe('what a killed export left', () => {
  let slow: RunningServer
  beforeAll(async () => {
    slow = await startServer((request, response) => {
      if (request.url === '/')
        response.setHeader('content-type', 'text/html').end(page('home', '<a href="/never">x</a>'))
      else if (request.url !== '/never') response.writeHead(404).end()
    })
  })
  afterAll(() => slow.close())

  /** An export that goes on until it is killed. */
  async function startSlow(inside: string) {
    const url = slow.origin.href
    const args = ['export', url, '-o', join(inside, 'x.zip'), '--work-folder', inside, '--ignore-robots']
    const before = readdirSync(inside)
    const program = startQuire(args, { env })
    await program.read(output => output.includes('Fetching'))
    const [name = ''] = readdirSync(inside).filter(name => name.startsWith('quire-export-') && !before.includes(name))
    const kill = () => program.end('SIGKILL')
    return { name, kill }
  }

  test('goes at the next start, and nothing else does', async () => {
    const inside = mkdtempSync(join(folder, 'kill-'))
    const foreign = {
      'quire-export-aaaaaa': ['owner.lock', 'mine.txt'],
      'quire-export-bbbbbb': ['mine.txt'],
      'quire-export-cccccc': [],
      'quire-export-notes': ['owner.lock'],
    }
    for (const [name, files] of Object.entries(foreign)) {
      mkdirSync(join(inside, name))
      for (const file of files) writeFileSync(join(inside, name, file), '')
    }
    mkdirSync(join(inside, 'precious'))
    writeFileSync(join(inside, 'precious', 'owner.lock'), '')
    symlinkSync('precious', join(inside, 'quire-export-dddddd'))
    mkdirSync(join(inside, 'quire-export-eeeeee'))
    symlinkSync('../precious/owner.lock', join(inside, 'quire-export-eeeeee', 'owner.lock'))

    const killed = await startSlow(inside)
    await killed.kill()
    expect(readdirSync(join(inside, killed.name)).sort()).toEqual(['owner.lock', 'site'])
    const living = await startSlow(inside)
    const used = ['precious', 'quire-export-dddddd', 'quire-export-eeeeee', ...Object.keys(foreign), living.name].sort()
    try {
      expect(readdirSync(inside).sort()).toEqual(used)
      const args = ['export', site.origin.href, '-o', join(folder, 'after.zip'), '--work-folder', inside]
      expect(await runQuire(args, { env })).toMatchObject({ code: 0 })
      expect(readdirSync(inside).sort()).toEqual(used)
      expect(readdirSync(join(inside, living.name))).toContain('site')
      expect(readdirSync(join(inside, 'precious'))).toEqual(['owner.lock'])
    } finally {
      await living.kill()
    }
  }, 60_000)

  test('is a lock without a holder that many at once may find', async () => {
    const inside = mkdtempSync(join(folder, 'many-'))
    const killed = await startSlow(inside)
    await killed.kill()
    const files = ['a', 'b', 'c'].map(name => join(folder, `many-${name}.zip`))
    const ended = await Promise.all(
      files.map(file => runQuire(['export', site.origin.href, '-o', file, '--work-folder', inside], { env })),
    )
    expect([ended.map(({ code }) => code), readdirSync(inside)]).toEqual([[0, 0, 0], []])
  }, 60_000)
})

test('an older file stays when the export fails', async () => {
  const file = join(folder, 'older.zip')
  writeFileSync(file, 'older')
  const { code } = await runQuire(['export', new URL('/gone/', site.origin).href, '-o', file], { env })
  expect(code).toBe(1)
  expect(readdirSync(folder)).toContain('older.zip')
  expect(readdirSync(folder)).not.toContain('older.zip.part')
})
