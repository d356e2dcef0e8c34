import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { runQuire, type ServeProcess, startServe } from '../support/process.ts'

// Keys, links, and the IP addresses and user agents of visitors must never be readable in the data folder or in a log.

let dataFolder: string
let site: Awaited<ReturnType<typeof startSite>>
let server: ServeProcess
const ip = '203.0.113.77'
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 Marker/31337'

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'quire-secrets-'))
  site = await startSite(2)
})
afterAll(async () => {
  server?.child.kill('SIGKILL')
  await site.close()
  await rm(dataFolder, { recursive: true, force: true })
})

test('no key, link, IP address or user agent is in the database, its WAL or the logs in plain text', async () => {
  const quire = async (...args: string[]) => {
    const { code, stdout, stderr } = await runQuire([...args, '--data', dataFolder])
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.trim()
  }
  const organizationId = await quire('orgs', 'create', 'Acme', '--plan', 'enterprise')
  const projectId = await quire('projects', 'create', 'Docs', '--org', organizationId)
  await quire('sites', 'create', 'docs.example.com', '--project', projectId, '--origin', site.url, '--no-probe')
  const key = await quire('keys', 'create', 'ci', '--org', organizationId)
  const signInLink = (await runQuire(['dashboard', 'link', '--data', dataFolder])).stdout
  const line = `${ip} - - [20/Nov/2026:10:00:00 +0000] "GET /guide HTTP/1.1" 200 1234 "-" "${userAgent}"\n`
  const imported = await runQuire(['visits', 'import', '-', '--project', projectId, '--data', dataFolder], {
    input: line,
  })
  expect(imported.code).toBe(0)

  server = await startServe(['--data', dataFolder, '--log-level', 'trace'])
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const visitors = await send(server.url, `/v1/analytics/${projectId}/visitors`, { headers })
  expect(visitors.json).toMatchObject({ totals: { human: 1, ai: 0, total: 1 }, visitors: [{ path: '/guide' }] })
  await send(server.url, '/v1/static-export/jobs/se_x', { headers: { Authorization: `Bearer ${key.slice(0, -1)}` } })
  const body = '{"domain":"docs.example.com"}'
  const { json: job } = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body })
  const bundleUrl = await waitFor(async () => {
    const { status, json } = await send(server.url, `/v1/static-export/jobs/${job.jobId}/bundle`, {
      method: 'POST',
      headers,
    })
    return status === 200 ? String(json.bundleUrl) : undefined
  })
  expect((await send(server.url, bundleUrl.slice(server.url.length))).status).toBe(200)
  await send(server.url, new URL(signInLink.trim()).pathname + new URL(signInLink.trim()).search)

  // While the server runs, so that the WAL exists.
  const files = (await readdir(dataFolder)).filter(name => name.startsWith('quire.db'))
  expect(files).toContain('quire.db-wal')
  const contents = await Promise.all(files.map(name => readFile(join(dataFolder, name), 'latin1')))
  const readable = [...contents, server.output()].join('\n')
  expect(readable).toContain(organizationId) // proves that the search finds existing text
  expect(readable).toContain('"operationId":"getUniqueVisitors"')
  const secrets = [
    key,
    key.slice(6, 36),
    /signature=([0-9a-f]+)/.exec(bundleUrl)?.[1] as string,
    /token=([\w-]{43})/.exec(signInLink)?.[1] as string,
    ip,
    userAgent,
    'Marker/31337',
  ]
  for (const secret of secrets) expect(readable.includes(secret)).toBe(false)
  for (const name of ['link.key', 'visitor.key']) {
    const secret = await readFile(join(dataFolder, name))
    expect(secret).toHaveLength(32)
    for (const encoding of ['latin1', 'hex', 'base64'] as const)
      expect(readable.includes(secret.toString(encoding))).toBe(false)
  }
})
