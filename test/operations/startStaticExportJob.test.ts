import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let headers: Record<string, string>

beforeAll(async () => {
  server = await startTestServer()
  const { organizationId, projectId } = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, organizationId)
  headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  // Nothing listens on this port, so the job fails at once.
  const origin = 'http://127.0.0.1:9/'
  await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin, createdAt: 0 })
})
afterAll(() => server.dispose())

const start = (fields: object, more: Record<string, string> = {}) =>
  send(server.url, '/v1/static-export/jobs', {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify({ domain: 'docs.example.com', ...fields }),
  })

test.each([
  ['nothing more than a domain', {}, { offlineSearch: false, verify: null }],
  ['an offline search', { offlineSearch: true }, { offlineSearch: true, verify: null }],
  [
    'an offline search without the search service',
    { deployment: 'client-hosted', features: { search: false }, offlineSearch: true },
    { offlineSearch: true, features: { search: false } },
  ],
  ['every page checked', { verify: 'full' }, { offlineSearch: false, verify: 'full' }],
])('a start with %s is stored as requested', async (_what, asked, want) => {
  const answer = await start(asked)
  expect(answer.status).toBe(202)
  expect((await server.store.exportJobs.find(String(answer.json.jobId)))?.request).toMatchObject(want)
})

test('the same idempotency key with another search or check is a different request', async () => {
  const key = { 'Idempotency-Key': 'one' }
  const first = await start({ offlineSearch: true }, key)
  expect((await start({ offlineSearch: true }, key)).json.jobId).toBe(first.json.jobId)
  expect((await start({ offlineSearch: false }, key)).status).toBe(409)
  expect((await start({ offlineSearch: true, verify: 'static' }, key)).status).toBe(409)
})

test('a full queue refuses with words and Retry-After, and a repeated start still gets its job', async () => {
  const full = await startTestServer({ maxQueuedExports: 2, exportsAtOnce: 1 })
  try {
    const { organizationId, projectId } = await createOrganization(full.store)
    const { key } = await createApiKey(full.store, organizationId)
    const site = await startSite(1, { delayMs: 60_000 })
    await full.store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: 0 })
    const startFull = (idempotencyKey: string) =>
      send(full.url, '/v1/static-export/jobs', {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': idempotencyKey,
        },
        body: '{"domain":"docs.example.com"}',
      })
    const first = await startFull('one')
    const isRunning = async () => (await full.store.exportJobs.find(String(first.json.jobId)))?.status === 'running'
    await waitFor(async () => ((await isRunning()) ? true : undefined))
    expect([(await startFull('two')).status, (await startFull('three')).status]).toEqual([202, 202])
    const refused = await startFull('four')
    expect(refused).toMatchObject({
      status: 429,
      json: {
        error:
          'This organization has 2 queued exports, and the limit is 2. Wait until some are completed, then start this one again.',
      },
    })
    expect(refused.headers['retry-after']).toBe('60')
    expect((await startFull('two')).status).toBe(202)
    expect(await full.store.exportJobs.list({ organizationId })).toHaveLength(3)
    await site.close()
  } finally {
    await full.dispose()
  }
})
