import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../support/export-site.ts'
import { createTestDatabase, findPostgres } from '../support/postgres/test-database.ts'
import { runQuire } from '../support/process.ts'
import { startHost } from './host-process.ts'
import { makeSite } from './make-site.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-host-visits-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a host counts its requests as visits of a project', () => {
  const data = join(folder, 'quire')
  return checkCounting('sqlite', ['--data', data], ['--visits-data', data])
})

const found = await findPostgres()
test.skipIf('missing' in found)('a host counts its requests in PostgreSQL', async context => {
  const database = await createTestDatabase((found as { url: string }).url)
  context.onTestFinished(() => database.drop())
  const keyFile = join(folder, 'visitor.key')
  writeFileSync(keyFile, 'a'.repeat(64))
  const counting = ['--visits-database', database.url, '--visitor-key-file', keyFile, '--node', 'host-1']
  await checkCounting('postgres', ['--database', database.url], counting)
  expect(await database.run('SELECT node FROM log_positions')).toEqual([{ node: 'host-1' }])
})

/** @param place where commands find the project, and `counting` where the host counts. */
async function checkCounting(name: string, place: string[], counting: string[]): Promise<void> {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runQuire([...args, ...place])
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  await run('orgs', 'create', 'Acme')
  await run('projects', 'create', 'Docs', '--org', 'Acme')
  writeFileSync(join(folder, 'docs.zip'), makeSite({ version: 'v1' }))
  const visits = [...counting, '--project', 'Docs', '--trusted-proxies', '127.0.0.1']
  const host = await startHost([join(folder, 'docs.zip'), '--data', join(folder, `host-${name}`), ...visits])
  await host.read(output => output.includes('"msg":"serving a version"'))
  const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
  for (const client of ['198.51.100.1', '198.51.100.2', '198.51.100.2']) {
    const headers = { 'User-Agent': browser, 'X-Forwarded-For': client }
    for (const path of ['/', '/guide/p0', '/style.css', '/none']) await fetch(`${host.url}${path}`, { headers })
  }
  const counted = await waitFor(async () => {
    const shown = JSON.parse(await run('visits', 'show', '--project', 'Docs', '--json'))
    return shown.totals.total === 2 ? shown : undefined
  })
  expect(counted.pages).toMatchObject([
    { path: '/', human: 2 },
    { path: '/guide/p0', human: 2 },
  ])
  expect(await host.end('SIGTERM')).toBe(0)
}
