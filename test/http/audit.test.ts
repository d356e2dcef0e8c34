import { afterEach, expect, test } from 'vitest'
import { parseAddressRange } from '../../server/base/address-range.ts'
import { addCompletedJob } from '../support/completed-job.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
afterEach(() => server.dispose())

/** Starts a server with a site, and returns a function that sends a POST with a key of its organization. */
async function start(flags: Parameters<typeof startTestServer>[0] = {}) {
  server = await startTestServer(flags)
  const { organizationId, projectId } = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, organizationId)
  await server.store.sites.insert({
    domain: 'docs.example.com',
    projectId,
    origin: 'http://127.0.0.1:9/',
    createdAt: 0,
  })
  const post = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  return { organizationId, key, post }
}

const exportsPath = '/v1/static-export/jobs'
const listEvents = async () => (await server.store.auditLog.list({ limit: 10 })).map(({ id, at, ...event }) => event)

test('a started export and a bundle link are in the audit log with the key and the address', async () => {
  const { organizationId, key, post } = await start()
  const { jobId } = await addCompletedJob(server.store, server.dataFolder, organizationId)
  const made = await post(`${exportsPath}/${jobId}/bundle`)
  const started = await post(exportsPath, { domain: 'docs.example.com' })
  expect([made.status, started.status]).toEqual([200, 202])
  const who = { organizationId, actor: `key test (...${key.slice(-4)})`, address: '127.0.0.1' }
  expect(await listEvents()).toEqual([
    { action: 'export.started', subject: started.body.jobId, detail: 'docs.example.com', ...who },
    { action: 'bundle-link.created', subject: jobId, detail: 'docs.example.com', ...who },
  ])
  const text = JSON.stringify(await listEvents())
  expect(text).not.toContain(key)
  expect(text).not.toContain(new URL(made.body.bundleUrl).search.slice(1))
})

test('what starts nothing and links nothing is not in the audit log', async () => {
  const { post } = await start()
  const headers = { 'Idempotency-Key': 'once' }
  await post(exportsPath, { domain: 'docs.example.com' }, headers)
  expect(await listEvents()).toHaveLength(1)
  for (const [want, path, body] of [
    [202, exportsPath, { domain: 'docs.example.com' }],
    [409, exportsPath, { domain: 'docs.example.com', format: 'tar.gz' }],
    [400, exportsPath, { domain: 'other.example.com' }],
    [404, `${exportsPath}/se_0000000000000000/bundle`, undefined],
  ] as const) {
    expect([want, (await post(path, body, headers)).status]).toEqual([want, want])
  }
  expect(await listEvents()).toHaveLength(1)
})

test.each([
  ['a trusted proxy', ['127.0.0.1'], '198.51.100.7'],
  ['another client', [], '127.0.0.1'],
])('behind %s, the address is that of the client', async (_, proxies, address) => {
  const trustedProxies = proxies.map(parseAddressRange).filter(range => range !== undefined)
  const { post } = await start({ trustedProxies })
  await post(exportsPath, { domain: 'docs.example.com' }, { 'X-Forwarded-For': '203.0.113.1, 198.51.100.7' })
  expect(await listEvents()).toMatchObject([{ address }])
})
