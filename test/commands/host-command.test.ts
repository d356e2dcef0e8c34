import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startServer } from '../export/static-server.ts'
import { startHost } from '../host/host-process.ts'
import { makeSite, pageText } from '../host/make-site.ts'
import { waitFor } from '../support/export-site.ts'
import { runQuire, startQuire } from '../support/process.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-host-command-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a host serves a link, keeps the site after it has expired, rolls back, and logs what it served', async () => {
  let bundle: Buffer | null = makeSite({ version: 'v1' })
  const origin = await startServer((_req, res) => {
    if (bundle) res.writeHead(200).end(bundle)
    else res.writeHead(403).end()
  })
  const data = join(folder, 'data')
  const args = ['--data', data, '--access-log', join(folder, 'access.log'), '--fetch-retries', '0']
  const env = { QUIRE_HOST_BUNDLE: `${origin.origin.href}docs.zip?signature=secret` }
  const text = async (url: string) => (await fetch(url)).text()

  let host = await startHost(args, { env })
  await host.read(output => output.includes('"msg":"serving a version"'))
  expect(await text(`${host.url}/guide/p0`)).toBe(pageText('v1', 'guide/p0'))
  const bundleId = createHash('sha256').update(bundle).digest('hex').slice(0, 16)
  expect(await (await fetch(`${host.url}/readyz`)).json()).toEqual({ status: 'ready', bundle: bundleId, version: 'v1' })
  expect((await fetch(`${host.url}/guide/p0`)).headers.get('Quire-Bundle')).toBe(bundleId)
  bundle = makeSite({ version: 'v2' })
  host.child.kill('SIGHUP')
  await host.read(output => output.includes('"label":"v2"'))
  expect(await text(host.url)).toBe(pageText('v2', 'home'))

  const second = await runQuire(['host', '--data', data])
  expect([second.code, second.stderr]).toEqual([
    1,
    `Another host uses --data ${data}. Stop it, or name another folder with --data.\n`,
  ])
  bundle = null
  // Lines are written once a second, and a killed host loses the last ones.
  const log = join(folder, 'access.log')
  await waitFor(async () => (existsSync(log) && readFileSync(log, 'utf8').includes('/guide/p0')) || undefined)
  await host.end('SIGKILL')
  host = await startHost(args, { env })
  expect(await text(host.url)).toBe(pageText('v2', 'home'))
  await host.read(output => output.includes('it has expired or is wrong. Get a new link.'))
  expect(host.output()).not.toContain('secret')

  const rolled = await runQuire(['host', 'rollback', '--data', data, '--json'])
  expect([rolled.code, JSON.parse(rolled.stdout).label]).toEqual([0, 'v1'])
  await waitFor(async () => (await text(host.url)) === pageText('v1', 'home') || undefined)
  const listed = await runQuire(['host', 'list', '--data', data, '--json'])
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { label: 'v2', state: 'held', source: origin.origin.host },
    { label: 'v1', state: 'current' },
  ])
  expect(await host.end('SIGTERM')).toBe(0)

  // It serves the last good version while it cannot get the one that is asked for, and says so.
  host = await startHost([...args, '--version', 'v3'], { env })
  const ready = await fetch(`${host.url}/readyz`)
  const reason = 'the bundle that is served has the version "v1", and --version asks for "v3"'
  expect(ready.status).toBe(503)
  expect(await ready.json()).toEqual({ status: 'not ready', reason, bundle: bundleId, version: 'v1' })
  bundle = makeSite({ version: 'v3' })
  host.child.kill('SIGHUP')
  await waitFor(async () => (await fetch(`${host.url}/readyz`)).ok || undefined)
  expect(await text(host.url)).toBe(pageText('v3', 'home'))
  expect(await host.end('SIGTERM')).toBe(0)
  const lines = readFileSync(log, 'utf8').split('\n')
  expect(lines[0]).toMatch(
    /^127\.0\.0\.1 - - \[\d{2}\/\w{3}\/\d{4}:[\d:]+ \+0000\] "GET \/guide\/p0 HTTP\/1\.1" 200 \d+ "-" "node"$/,
  )
  await origin.close()
})

test('a bundle that is announced while the host starts does not end the host', async () => {
  const data = join(folder, 'data')
  writeFileSync(join(folder, 'docs.zip'), makeSite({ version: 'v1' }))
  const host = startQuire(['host', join(folder, 'docs.zip'), '--port', '0', '--data', data])
  // The folder is the first thing that a host makes, before it listens.
  const announcing = setInterval(() => existsSync(data) && host.child.kill('SIGHUP'), 1)
  await host.read(output => output.includes('"msg":"serving a version"'))
  clearInterval(announcing)
  const url = /"url":"([^"]+)"/.exec(host.output())?.[1] ?? ''
  expect(await (await fetch(url)).text()).toBe(pageText('v1', 'home'))
  expect(await host.end('SIGTERM')).toBe(0)
})

test('a forbidden combination is refused at start in one sentence, and exits with 2', async () => {
  const args = ['host', 'docs.zip', '--data', join(folder, 'data'), '--features', 'search']
  const { code, stdout, stderr } = await runQuire(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^features\.search cannot be true for the deployment air-gapped, because [^\n]*\.\n$/)
})

test('without a version and a good bundle it ends with 1 and the reason', async () => {
  writeFileSync(join(folder, 'docs.zip'), 'no archive')
  const { code, stderr } = await runQuire([
    'host',
    join(folder, 'docs.zip'),
    '--port',
    '0',
    '--data',
    join(folder, 'data'),
  ])
  expect([code, stderr]).toEqual([1, 'docs.zip is neither a zip nor a tar.gz.\n'])
})

test('Ctrl-C ends a host that still waits for its bundle, with the exit code 0', async () => {
  const asked = Promise.withResolvers<void>()
  const origin = await startServer((_req, res) => {
    asked.resolve()
    res.writeHead(200, { 'Content-Length': '1000' }).write('PK')
  })
  const host = startQuire(['host', origin.origin.href, '--port', '0', '--data', join(folder, 'data')])
  await asked.promise
  expect(await host.end('SIGINT')).toBe(0)
})
