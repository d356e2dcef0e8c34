import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../generated/operations.ts'
import { createKey, type Scope } from '../../server/tenancy/api-key.ts'
import { send } from '../support/client.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let organizationId: string
let projectId: string
beforeAll(async () => {
  server = await startTestServer()
  ;({ organizationId, projectId } = await createOrganization(server.store))
})
afterAll(() => server.dispose())

const ask = (authorization: string | undefined) =>
  send(server.url, `/v2/agent/${projectId}/job/x`, {
    headers: { 'X-Request-Id': 'same', ...(authorization !== undefined && { Authorization: authorization }) },
  })

test('a missing, malformed, unknown, expired or revoked key gets the same 401', async () => {
  const { key } = await createApiKey(server.store, organizationId)
  const { key: expired } = await createApiKey(server.store, organizationId, { expiresAt: Date.now() - 1 })
  const { key: revoked, keyId } = await createApiKey(server.store, organizationId)
  expect((await ask(`Bearer ${revoked}`)).status).toBe(404)
  await server.store.apiKeys.revoke(keyId, Date.now())
  const answers = await Promise.all(
    [undefined, '', 'Bearer', 'Bearer ', `Basic ${key}`, key, `Bearer ${key} ${key}`, `Bearer ${key.slice(0, -1)}`]
      .concat([
        `Bearer ${createKey('quire_')}`,
        `Bearer ${createKey('other_')}`,
        `Bearer ${expired}`,
        `Bearer ${revoked}`,
      ])
      .map(ask),
  )
  for (const { status, headers, text } of answers) {
    expect({ status, text }).toEqual({ status: 401, text: answers[0]?.text })
    expect(headers['www-authenticate']).toBe('Bearer')
  }
})

test('the scheme is case-insensitive', async () => {
  const { key } = await createApiKey(server.store, organizationId)
  expect((await ask(`bearer ${key}`)).status).toBe(404)
})

/** Asks each operation with keys of these scopes, and returns those that answer 403 for the scope. */
async function listScopeRefusals(scopes: Scope[]): Promise<string[]> {
  const { key } = await createApiKey(server.store, organizationId, { scopes })
  const refused = []
  for (const { operationId, method, path } of routes) {
    const { status, json } = await send(server.url, path.replaceAll(/\{\w+\}/g, 'x'), {
      method: method.toUpperCase(),
      headers: { Authorization: `Bearer ${key}` },
    })
    if (status !== 403) continue
    expect(json.error).toMatch(/^This API key has no "\w+" scope\. Use a key that has it\.$/)
    refused.push(operationId)
  }
  return refused
}

test('every operation refuses requests without a key', async () => {
  expect(routes).toHaveLength(5)
  for (const { method, path } of routes) {
    const target = path.replaceAll(/\{\w+\}/g, 'x')
    expect((await send(server.url, target, { method: method.toUpperCase() })).status).toBe(401)
  }
})

test('a key that writes also reads, and a key that reads changes nothing and makes no link', async () => {
  expect(await listScopeRefusals(['write'])).toEqual([])
  expect(await listScopeRefusals(['read'])).toEqual(['startStaticExportJob', 'generateStaticExportBundle'])
})

test('a key with the scope ingest is refused by every operation of the document', async () => {
  expect(await listScopeRefusals(['ingest'])).toEqual(routes.map(({ operationId }) => operationId))
})

test('a key with only the scope write starts an export, polls it and reads the visitors', async () => {
  await server.store.sites.insert({ domain: 'written.example', projectId, origin: null, createdAt: 1 })
  const { key } = await createApiKey(server.store, organizationId, { scopes: ['write'] })
  const headers = { Authorization: `Bearer ${key}` }
  const started = await send(server.url, '/v1/static-export/jobs', {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ domain: 'written.example' }),
  })
  expect(started.status).toBe(202)
  expect((await send(server.url, `/v1/static-export/jobs/${started.json.jobId}`, { headers })).status).toBe(200)
  expect((await send(server.url, `/v1/analytics/${projectId}/visitors`, { headers })).status).toBe(200)
})

test('the exports need the enterprise plan', async () => {
  const standard = await createOrganization(server.store, 'standard')
  const { key } = await createApiKey(server.store, standard.organizationId)
  const enterprise = routes.filter(route => route.plan === 'enterprise')
  expect(enterprise).toHaveLength(3)
  for (const { method, path } of enterprise) {
    const { status, json } = await send(server.url, path.replaceAll(/\{\w+\}/g, 'x'), {
      method: method.toUpperCase(),
      headers: { Authorization: `Bearer ${key}` },
    })
    expect({ status, error: json.error }).toEqual({ status: 403, error: expect.stringContaining('enterprise') })
  }
})

test('the time of the last use is stored', async () => {
  const { key, keyId } = await createApiKey(server.store, organizationId)
  const findKey = async () => (await server.store.apiKeys.list(organizationId)).find(({ id }) => id === keyId)
  expect((await findKey())?.lastUsedAt).toBeNull()
  const before = Date.now()
  await ask(`Bearer ${key}`)
  expect((await findKey())?.lastUsedAt).toBeGreaterThanOrEqual(before)
})

test('exactly 100 of 200 parallel analytics requests pass across all keys, and none more after a restart', async () => {
  const organization = await createOrganization(server.store)
  const keys = await Promise.all([1, 2].map(() => createApiKey(server.store, organization.organizationId)))
  const count = (i: number) =>
    send(server.url, `/v1/analytics/${organization.projectId}/visitors`, {
      headers: { Authorization: `Bearer ${keys[i % 2]?.key}` },
    })
  const statuses = (await Promise.all(Array.from({ length: 200 }, (_, i) => count(i)))).map(({ status }) => status)
  expect(statuses.sort()).toEqual([...Array(100).fill(200), ...Array(100).fill(429)])
  await server.restart()
  expect((await count(0)).status).toBe(429)
})

test('a request refused for its key or its scope does not count against the rate limit', async () => {
  const organization = await createOrganization(server.store)
  const path = `/v1/analytics/${organization.projectId}/visitors`
  const { key: ingest } = await createApiKey(server.store, organization.organizationId, { scopes: ['ingest'] })
  for (const Authorization of ['Bearer nonsense', `Bearer ${ingest}`]) {
    for (let i = 0; i < 5; i++) await send(server.url, path, { headers: { Authorization } })
  }
  const { key } = await createApiKey(server.store, organization.organizationId)
  const { headers } = await send(server.url, path, { headers: { Authorization: `Bearer ${key}` } })
  expect(headers.ratelimit).toContain('r=99;')
  expect(headers['ratelimit-policy']).toBe('"analytics";q=100;w=3600')
})
