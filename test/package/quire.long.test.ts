import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer } from '../export/static-server.ts'
import { root, withoutPackages } from './installed-package.ts'

const run = promisify(execFile)

let work: string
let quire: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'quire-product-'))
  // Some versions of npm run the install script of puppeteer, which downloads a browser.
  env = { ...withoutPackages(), PUPPETEER_SKIP_DOWNLOAD: '1' }
  await run('npm', ['pack', '--pack-destination', work], { cwd: root, env })
  const tarball = readdirSync(work).find(name => name.endsWith('.tgz')) ?? ''
  // Some versions of npm do not make the folder.
  mkdirSync(join(work, 'global', 'lib'), { recursive: true })
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--prefix', join(work, 'global')]
  await run('npm', ['install', '--global', ...flags, join(work, tarball)], { cwd: work, env })
  quire = join(work, 'global/bin/quire')
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

test('the installed command says its version, on the Node of the system', async () => {
  expect((await run(quire, ['--version'], { cwd: work, env })).stdout).toBe('0.1.0\n')
  expect(existsSync(join(work, 'global/lib/node_modules/quire/server'))).toBe(false)
})

test('the installed command exports a site: threads, pages and archive', async () => {
  const site = await startServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html')
    res.end('<!doctype html><html lang="en"><title>Docs</title><h1>Docs</h1><p>One page with some text.</p></html>')
  })
  const args = ['export', site.origin.href, '--verify', 'static', '-o', join(work, 'docs.zip')]
  const { stdout } = await run(quire, args, { cwd: work, env })
  await site.close()
  expect(stdout).toMatch(/docs\.zip: 1 pages?, /)
})

test('the installed command creates a database, and serves the documentation', async () => {
  const data = join(work, 'data')
  const { stdout } = await run(quire, ['orgs', 'create', 'Acme', '--data', data], { cwd: work, env })
  expect(stdout).toMatch(/^org_/)
  const child = spawn(quire, ['serve', '--data', data, '--port', '0', '--drain-seconds', '0'], { cwd: work, env })
  const ended = new Promise(done => child.on('exit', done))
  const url = await new Promise<string>((done, failed) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
      if (found) done(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', () => failed(new Error(output)))
  })
  const page = await fetch(`${url}/docs/`)
  expect([page.status, (await page.text()).includes('<h1')]).toEqual([200, true])
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
