import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { type ServeProcess, startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

let dataFolder: string
let store: Store
let server: ServeProcess
let headers: Record<string, string>
let projectId: string

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'quire-shutdown-'))
  store = openStore(dataFolder)
  const organization = await createOrganization(store)
  projectId = organization.projectId
  const { key } = await createApiKey(store, organization.organizationId)
  headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  server = await startServe(['--data', dataFolder])
})
afterEach(async () => {
  server.child.kill('SIGKILL')
  store.close()
  await rm(dataFolder, { recursive: true, force: true })
})

test('a request in flight is finished, new ones are refused, and the exit code is 0', async () => {
  const body = '{"domain":"unknown.example.com"}'
  const { hostname, port } = new URL(server.url)
  const inFlight = request({
    hostname,
    port,
    method: 'POST',
    path: '/v1/static-export/jobs',
    headers: { ...headers, 'Content-Length': body.length },
  })
  const answered = new Promise<number | undefined>((done, failed) => {
    inFlight.on('response', res => done(res.resume().statusCode))
    inFlight.on('error', failed)
  })
  inFlight.write(body.slice(0, 5))
  await new Promise(done => setTimeout(done, 200))

  const ended = server.end('SIGTERM')
  await waitFor(async () =>
    send(server.url, '/healthz').then(
      () => undefined,
      () => true,
    ),
  )
  inFlight.end(body.slice(5))
  expect(await answered).toBe(400)
  expect(await ended).toBe(0)
})

test('a running export is released, and the next start continues it at once', async () => {
  const site = await startSite(200, { delayMs: 30 })
  try {
    await store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: 0 })
    const body = '{"domain":"docs.example.com"}'
    const { json } = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body })
    const jobId = String(json.jobId)
    await waitFor(async () => (((await store.exportJobs.find(jobId))?.pageCount ?? 0) > 0 ? true : undefined))
    expect(await server.end('SIGTERM')).toBe(0)
    expect(await store.exportJobs.find(jobId)).toMatchObject({ status: 'running' })
    expect(await store.exportJobs.claim('test', Date.now(), 1)).toMatchObject({ interruptions: 0, job: { jobId } })
    server = await startServe(['--data', dataFolder])
    const job = await waitFor(async () => {
      const found = await store.exportJobs.find(jobId)
      return found?.status === 'completed' || found?.status === 'failed' ? found : undefined
    }, 40_000)
    expect(job).toMatchObject({ status: 'completed', pageCount: 200 })
  } finally {
    await site.close()
  }
})

test('each request is one JSON line with its id, and only safe ids of clients are used', async () => {
  const sane = await send(server.url, '/healthz', { headers: { 'X-Request-Id': 'client-1.2_3' } })
  expect(sane.headers['x-request-id']).toBe('client-1.2_3')
  for (const id of ['a b', 'x'.repeat(200), '{"level":60}', '<script>']) {
    const { headers: answered } = await send(server.url, '/healthz', { headers: { 'X-Request-Id': id } })
    expect(answered['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  }
  await send(server.url, `/v2/agent/${projectId}/job/x?secret=1`, {
    headers: { ...headers, 'X-Request-Id': 'one-line' },
  })
  await waitFor(async () => (server.output().includes('one-line') ? true : undefined))
  const lines = server
    .output()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const [line, ...more] = lines.filter(({ requestId }) => requestId === 'one-line')
  expect(more).toEqual([])
  expect(line).toMatchObject({
    msg: 'request',
    method: 'GET',
    path: `/v2/agent/${projectId}/job/x`,
    operationId: 'getAgentJob',
    status: 400, // the query is not documented
    durationMs: expect.any(Number),
    organizationId: expect.stringMatching(/^org_/),
    keyId: expect.stringMatching(/^key_/),
  })
  expect(server.output()).not.toContain('secret')
})
