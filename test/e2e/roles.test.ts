import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Role } from '../../server/config.ts'
import type { Verify } from '../../server/export/model/options.ts'
import { type ApiServer, startServer } from '../../server/server.ts'
import { parseS3Location } from '../../server/store/s3/s3-location.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { createS3Bucket, type S3Server, whyNoS3Server } from '../support/s3-server.ts'
import { createApiKey, createConfig, createOrganization } from '../support/server.ts'

const found = await findPostgres()
const missing = 'missing' in found ? found.missing : whyNoS3Server()

async function startExport(url: string, key: string, domain: string) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ domain })
  const answer = await send(url, '/v1/static-export/jobs', { method: 'POST', headers, body })
  expect(answer.status).toBe(202)
  return answer
}

describe.skipIf(missing !== undefined)(`servers with roles${missing ? `, skipped: ${missing}` : ''}`, () => {
  let database: TestDatabase
  let s3: S3Server
  let folder: string
  let servers: ApiServer[]

  beforeAll(async () => {
    database = await createTestDatabase((found as { url: string }).url)
    s3 = await createS3Bucket('quire-roles')
  })
  afterAll(async () => {
    await s3?.dispose()
    await database?.drop()
  })
  beforeEach(async () => {
    await database.clear()
    folder = mkdtempSync(join(tmpdir(), 'quire-roles-'))
    servers = []
  })
  afterEach(async () => {
    await Promise.all(servers.map(server => server.close()))
    rmSync(folder, { recursive: true, force: true })
  })

  let started = 0
  /** Starts a server as on a machine of its own. */
  async function start(
    role: Role,
    { linkKey = 'a'.repeat(64), verify = 'static' }: { linkKey?: string; verify?: Verify } = {},
  ): Promise<ApiServer> {
    started += 1
    const data = join(folder, `server-${started}`)
    const linkKeyFile = `${data}.key`
    writeFileSync(linkKeyFile, linkKey)
    const bundles = parseS3Location(`s3://quire-roles/${folder.slice(-6)}?endpoint=${s3.endpoint}`)
    const config = createConfig({ data, database: database.url, bundles, role, linkKeyFile, verify })
    const server = await startServer(config, pino({ level: 'silent' }))
    servers.push(server)
    return server
  }

  test('an export that one API server starts runs on the runner, and each API server serves its bundle', async () => {
    const [api, other, runner] = [await start('api'), await start('api'), await start('runner')]
    const { organizationId, projectId } = await createOrganization(api.store)
    const { key } = await createApiKey(api.store, organizationId)
    const site = await startSite(3)
    const domain = 'docs.example.com'
    await api.store.sites.insert({ domain, projectId, origin: site.url, createdAt: Date.now() })
    const headers = { Authorization: `Bearer ${key}` }
    const started = (await startExport(api.url, key, domain)).json
    const path = `/v1/static-export/jobs/${started.jobId}`
    await waitFor(async () => {
      const { json } = await send(other.url, path, { headers })
      expect(json.error ?? null).toBeNull()
      return json.status === 'completed' ? true : undefined
    })
    await site.close()
    const { json: bundle } = await send(api.url, `${path}/bundle`, { method: 'POST', headers })
    const link = new URL(String(bundle.bundleUrl))
    for (const { url } of [api, other]) {
      const answer = await fetch(new URL(link.pathname + link.search, url))
      const content = Buffer.from(await answer.arrayBuffer())
      expect(createHash('sha256').update(content).digest('hex')).toBe(bundle.sha256)
    }
    expect((await send(runner.url, link.pathname + link.search)).status).toBe(404)
  })

  test('an API server runs no export', async () => {
    const api = await start('api')
    const { organizationId, projectId } = await createOrganization(api.store)
    const { key } = await createApiKey(api.store, organizationId)
    const domain = 'docs.example.com'
    await api.store.sites.insert({ domain, projectId, origin: 'http://127.0.0.1:1', createdAt: Date.now() })
    const { json } = await startExport(api.url, key, domain)
    await new Promise(done => setTimeout(done, 1500))
    expect((await api.store.exportJobs.find(String(json.jobId)))?.status).toBe('queued')
    const runner = await start('runner')
    await waitFor(async () =>
      (await runner.store.exportJobs.find(String(json.jobId)))?.status === 'failed' ? true : undefined,
    )
  })

  test('a runner without a browser is not ready, unless it opens no page', async () => {
    vi.stubEnv('PUPPETEER_EXECUTABLE_PATH', '/nowhere/chromium')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { url } = await start('runner', { verify: 'sample' })
    expect(await send(url, '/readyz')).toMatchObject({
      status: 503,
      json: { status: 'not ready', reason: 'no Chromium was found, and some sites need one' },
    })
    const unchecked = await start('runner')
    expect((await send(unchecked.url, '/readyz')).status).toBe(200)
  })

  test('a runner answers only whether it can work', async () => {
    const { url } = await start('runner')
    expect((await send(url, '/healthz')).json).toEqual({ status: 'ok' })
    expect((await send(url, '/readyz')).json).toEqual({ status: 'ready' })
    for (const path of ['/', '/docs/', '/dashboard/', '/openapi.json', '/v1/static-export/jobs/se_1']) {
      const { status, headers, json } = await send(url, path)
      expect([path, status, headers['content-type'], Object.keys(json)]).toEqual([
        path,
        404,
        expect.stringContaining('application/json'),
        ['error', 'code', 'requestId'],
      ])
    }
  })

  test('a server with another link key does not start, and the others do', async () => {
    await start('api')
    const refused = start('api', { linkKey: 'b'.repeat(64) })
    await expect(refused).rejects.toThrow('is not that of the other servers of the database')
    await start('runner', { linkKey: 'b'.repeat(64) })
    await start('api', { linkKey: `${'b'.repeat(64)}\n${'a'.repeat(64)}` })
  })
})
