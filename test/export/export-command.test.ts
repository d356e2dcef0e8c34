import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runQuire } from '../support/process.ts'
import { startCommandSite } from './command-site.ts'
import { page, startFakeSite } from './fake-site.ts'
import { readArchive, readEntry } from './read-archive.ts'
import type { RunningServer } from './static-server.ts'

let folder = ''
let site: RunningServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-command-'))
  site = await startCommandSite()
})

afterAll(async () => {
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

const env = { PUPPETEER_EXECUTABLE_PATH: '/nonexistent/chromium' }

test('exports a URL and prints a summary', async () => {
  const file = join(folder, 'docs.zip')
  const { code, stdout, stderr } = await runQuire(['export', site.origin.href, '-o', file, '--ignore-robots'], { env })
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /docs\.zip: 2 pages, 0\.0 MB, [\d.]+ s\nsha256 [0-9a-f]{64}\nNo Chromium was found: .+\n1 missing page is linked: \/gone\.\nexport-report\.html in the bundle has the details\.\n$/,
    ),
  ])
  expect(stderr).toMatch(/^Looking for pages\nFetching: \d of \d pages\n(.*\n)*Packing: 1 of 2 pages\n$/)
  expect(readArchive(file).map(({ name }) => name)).toEqual([
    'a.html',
    'a/index.htm',
    'export-report.html',
    'export-report.json',
    'index.html',
    'quire-manifest.json',
  ])
})

test('prints JSON, accepts a domain with an origin, and takes the format from the file name', async () => {
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

  test('fails the export with an error that names the remedy', async () => {
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

  test('fails the export if it is for another host', async () => {
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: pem('certificate') }
    const { code, stderr } = await runQuire(['export', `https://localhost:${port}/`, '-o', file()], { env: trusting })
    expect([code, stderr]).toEqual([1, expect.stringContaining("the server's certificate is not for localhost.")])
  })
})

test('unpacks the bundle into a folder, whose sha256 is that of the archive', async () => {
  const out = join(folder, 'docs')
  const args = ['export', site.origin.href, '--ignore-robots', '--json', '--cache', join(folder, 'cache')]
  const results = []
  for (const output of [`${out}/`, `${out}/`, join(folder, 'same.zip')])
    results.push(JSON.parse((await runQuire([...args, '-o', output], { env })).stdout))
  expect(results.map(({ sha256 }) => sha256)).toEqual(Array(3).fill(results[0].sha256))
  // The second export is a repeated one.
  expect(results.map(({ stageSeconds }) => 'fetch' in stageSeconds)).toEqual([true, false, false])
  expect(results[1]).toMatchObject({ folder: out, format: 'zip', pageCount: 2 })
  const archived = readArchive(join(folder, 'same.zip'))
  const unpacked = readdirSync(out, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  expect(unpacked).toHaveLength(archived.length)
  for (const { name, content } of archived) expect(readFileSync(join(out, name)).equals(content)).toBe(true)
}, 240_000)

test('--check says that a bundle is sound, and fails for a damaged one', async () => {
  const file = join(folder, 'checked.zip')
  await runQuire(['export', site.origin.href, '-o', file, '--ignore-robots'], { env })
  const sound = await runQuire(['export', '--check', file], { env: { ...env, QUIRE_EXPORT_OUTPUT: 'ignored.zip' } })
  expect([sound.code, sound.stderr, sound.stdout]).toEqual([
    0,
    '',
    expect.stringMatching(
      /checked\.zip: zip, 2 pages in \d+ files of 127\.0\.0\.1:\d+, 0\.0 MB\nsha256 [0-9a-f]{64}\nMade by Quire \S+\. Its files were compared with quire-manifest\.json\.\nNo page was opened, because no Chromium was found: .+\nThe bundle is sound: every address .+ resolves in it\.\n$/,
    ),
  ])
  writeFileSync(file, readFileSync(file).subarray(0, -40))
  const damaged = await runQuire(['export', '--check', file, '--json'], { env })
  expect([damaged.code, damaged.stderr]).toEqual([1, 'The bundle has 1 fault.\n'])
  expect(JSON.parse(damaged.stdout)).toMatchObject({
    sound: false,
    faults: [{ what: expect.stringMatching(/damaged/) }],
  })
})

test('obeys robots.txt by default', async () => {
  const file = join(folder, 'robots.zip')
  const { stdout } = await runQuire(['export', site.origin.href, '-o', file, '--json'], { env })
  expect(JSON.parse(stdout)).toMatchObject({
    pageCount: 1,
    report: { skipped: [{ url: '/a', reason: 'refused by robots.txt' }] },
  })
})

test('--allow-origin packs the files of a private host, which are refused otherwise', async () => {
  const assets = await startFakeSite({ '/a.png': Buffer.from('picture') })
  const other = await startFakeSite({ '/b.png': Buffer.from('picture') })
  const pictures = [`${assets.origin.href}a.png`, `${other.origin.href}b.png`]
  const loading = await startFakeSite({ '/': page('home', pictures.map(url => `<img src="${url}">`).join('')) })
  const args = ['export', loading.origin.href, '-o', join(folder, 'assets.zip'), '--json']
  try {
    const variables = { ...env, QUIRE_EXPORT_ALLOW_ORIGINS: assets.origin.href }
    const { report } = JSON.parse((await runQuire(args, { env: variables })).stdout)
    expect(report).toMatchObject({
      packedThirdParty: [pictures[0]],
      removedThirdParty: [{ url: pictures[1], reason: '127.0.0.1 is not a public address (loopback)' }],
    })
  } finally {
    await Promise.all([assets, other, loading].map(server => server.close()))
  }
})

test('every flag has an environment variable', async () => {
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

test.each<[string, string[], number, RegExp]>([
  [
    'wrong usage',
    ['no domain', '-o', 'x.zip'],
    2,
    /^no domain is neither a bare host name nor a URL\. Examples: docs\.example\.com, http:\/\/127\.0\.0\.1:3000\/\n$/,
  ],
  ['a missing site', ['-o', 'x.zip'], 2, /missing required argument 'domain-or-url'/],
  [
    'a private address without an origin',
    ['localhost', '-o', join(tmpdir(), 'quire-no.zip')],
    1,
    /localhost is not a public address \(loopback\)/,
  ],
  [
    'no server',
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

test('a lost page of the navigation is exit code 1 with its name, and with --allow-loss a line of the summary', async () => {
  const failing = await startFakeSite({
    '/': page('home', '<nav><a href="/a">a</a><a href="/b">b</a></nav>'),
    '/a': page('a'),
    '/b': { status: 500 },
  })
  try {
    const file = join(folder, 'lost.zip')
    const args = ['export', failing.origin.href, '-o', file, '--max-retries', '0', '--max-failed-percent', '50']
    const { code, stderr } = await runQuire(args, { env })
    expect([code, existsSync(file)]).toEqual([1, false])
    expect(stderr).toMatch(/^1 page .* could not be fetched: \/b \(status 500\)\. Start again .* \(--allow-loss\)\.$/m)
    const allowed = await runQuire(args, { env: { ...env, QUIRE_ALLOW_LOSS: '1' } })
    expect(allowed.code).toBe(0)
    expect(allowed.stdout).toMatch(/^Missing: 1 page could not be fetched: \/b \(status 500\)\.$/m)
  } finally {
    await failing.close()
  }
})
