import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createId } from '../../server/tenancy/id.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { runQuire } from '../support/process.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

// The ten wire rules that clients of such APIs rely on, in the order and with the numbers of the contract. Rule 9 is in
// bundle-downloads.test.ts.

let server: TestServer
let site: Awaited<ReturnType<typeof startSite>>
let organizationId: string
let projectId: string
let auth: Record<string, string>

beforeAll(async () => {
  server = await startTestServer()
  site = await startSite(3)
  ;({ organizationId, projectId } = await createOrganization(server.store))
  auth = { Authorization: `Bearer ${(await createApiKey(server.store, organizationId)).key}` }
  await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: Date.now() })
})
afterAll(async () => {
  await server.dispose()
  await site.close()
})

function get(path: string, headers: Record<string, string> = {}) {
  return send(server.url, path, { headers: { ...auth, ...headers } })
}

async function completeExport(): Promise<string> {
  const started = await send(server.url, '/v1/static-export/jobs', {
    method: 'POST',
    headers: { ...auth, 'Content-Type': 'application/json' },
    body: '{"domain":"docs.example.com"}',
  })
  expect(started.status).toBe(202)
  const jobId = String(started.json.jobId)
  const job = await waitFor(async () => {
    const { json } = await get(`/v1/static-export/jobs/${jobId}`)
    return json.status === 'completed' || json.status === 'failed' ? json : undefined
  })
  expect(job).toMatchObject({ status: 'completed', error: null, progress: 100, pageCount: 3 })
  return jobId
}

async function createLink(jobId: string): Promise<string> {
  const path = `/v1/static-export/jobs/${jobId}/bundle`
  const { status, json } = await send(server.url, path, { method: 'POST', headers: auth })
  expect(status).toBe(200)
  return String(json.bundleUrl)
}

describe('rule 1: microseconds and numeric offsets in dates', () => {
  test.each([
    '2026-11-20T10:11:12.123456+00:00',
    '2026-11-20T10:11:12.123456%2B00:00',
    '2026-11-20T10%3A11%3A12.123456%2B00%3A00',
    '2026-11-20T10:11:12Z',
    '2026-11-20',
  ])('dateTo=%s', async dateTo => {
    const { status, json } = await get(`/v1/analytics/${projectId}/visitors?limit=250&offset=0&dateTo=${dateTo}`)
    expect({ status, json }).toMatchObject({ status: 200, json: { visitors: [], hasMore: false } })
  })
})

describe('rule 2: an encoded project id stays one segment', () => {
  test.each(['%2F', '%3F', '%23', 'a%2Fb%3Fc%23d', '..%2F..', '%00', `${projectId}%2F`])('%s', async id => {
    for (const path of [`/v1/analytics/${id}/visitors`, `/v2/agent/${id}/job/x`]) {
      const { status, json } = await get(path)
      expect(status).toBe(404)
      expect(json.error).toContain('Invalid project id')
    }
  })
})

test('rule 3: empty answers and pages past the end have visitors and a boolean hasMore', async () => {
  for (const query of ['', '?offset=1000000', '?dateFrom=2020-01-01&dateTo=2020-01-01']) {
    const { json } = await get(`/v1/analytics/${projectId}/visitors${query}`)
    expect(json).toEqual({ totals: { human: 0, ai: 0, total: 0 }, visitors: [], hasMore: false })
  }
})

describe('rule 4: never a redirect, always JSON, unknown paths fast', { timeout: 10_000 }, () => {
  test.each([
    ['GET', '/v1/static-export/jobs/null'],
    ['GET', '/v1/static-export/jobs/'],
    ['GET', '//v1/static-export/jobs'],
    ['GET', '/v1/static-export/../static-export/jobs'],
    ['GET', '/V1/Static-Export/Jobs/se_1'],
    ['DELETE', `/v2/agent/x/job/y`],
    ['GET', '/bundles'],
    ['GET', '/docs/nothing-here'],
    ['GET', '/%E0%A4%A'],
  ])('%s %s', async (method, path) => {
    const { status, headers, json } = await send(server.url, path, { method, headers: auth })
    expect([400, 403, 404, 405]).toContain(status)
    expect(headers.location).toBeUndefined()
    expect(headers['content-type']).toContain('application/json')
    expect(json.error).toBeTypeOf('string')
  })
})

test('rule 5: Retry-After is a whole number of seconds, and not longer than the window of the rate limit', async () => {
  const other = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, other.organizationId)
  const path = `/v1/analytics/${other.projectId}/visitors`
  const headers = { Authorization: `Bearer ${key}` }
  for (let i = 0; i < 100; i++) expect((await send(server.url, path, { headers })).status).toBe(200)
  const refused = await send(server.url, path, { headers })
  expect(refused.status).toBe(429)
  expect(refused.headers['retry-after']).toMatch(/^\d+$/)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3600)
  expect(refused.json).toMatchObject({ error: expect.any(String), details: [{ message: expect.any(String) }] })
})

test('rule 6: 401, 403 and 404 are distinct, and an empty result is 200', async () => {
  const { key: readKey } = await createApiKey(server.store, organizationId, { scopes: ['read'] })
  const standard = await createOrganization(server.store, 'standard')
  const { key: standardKey } = await createApiKey(server.store, standard.organizationId)
  const statuses = await Promise.all([
    send(server.url, '/v1/static-export/jobs/se_0000000000000000'),
    send(server.url, '/v1/static-export/jobs/se_0000000000000000', {
      headers: { Authorization: `Bearer ${standardKey}` },
    }),
    send(server.url, '/v1/static-export/jobs', { method: 'POST', headers: { Authorization: `Bearer ${readKey}` } }),
    get('/v1/static-export/jobs/se_0000000000000000'),
    get(`/v1/analytics/${projectId}/visitors`),
  ])
  expect(statuses.map(({ status }) => status)).toEqual([401, 403, 403, 404, 200])
})

test('rule 7: the bundle POST needs no body, Content-Type or Content-Length, and a GET may have a Content-Type', async () => {
  const jobId = await completeExport()
  const bundle = await send(server.url, `/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST', headers: auth })
  expect(bundle.status).toBe(200)
  expect(bundle.json).toMatchObject({ jobId, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  for (const type of ['application/json', 'text/plain', 'nonsense', 'multipart/form-data; boundary=x']) {
    const { status } = await get(`/v1/static-export/jobs/${jobId}`, { 'Content-Type': type })
    expect(status).toBe(200)
  }
})

test('rule 8: a small site is exported long before the official polling loop gives up', {
  timeout: 60_000,
}, async () => {
  await completeExport()
})

test('a link stops with its organization: 403 without the plan or the organization', async () => {
  const path = (await createLink(await completeExport())).slice(server.url.length)
  const ask = async () => (await send(server.url, path, { method: 'HEAD' })).status
  expect(await ask()).toBe(200)
  await server.store.organizations.updatePlan(organizationId, 'standard')
  expect(await ask()).toBe(403)
  await server.store.organizations.updatePlan(organizationId, 'enterprise')
  expect(await ask()).toBe(200)
  await server.stores.runUnchecked(`UPDATE organizations SET id = 'org_gone' WHERE id = '${organizationId}'`)
  expect(await ask()).toBe(403)
  await server.stores.runUnchecked(`UPDATE organizations SET id = '${organizationId}' WHERE id = 'org_gone'`)
})

test('rotating the link key leaves existing links valid, and revoking makes them void at once', async () => {
  const jobId = await completeExport()
  const ask = async (path: string) => (await send(server.url, path, { method: 'HEAD' })).status
  const quire = async (...args: string[]) => {
    const { code, stdout, stderr } = await runQuire(['links', ...args, ...server.commandFlags])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const firstPath = (await createLink(jobId)).slice(server.url.length)
  expect(JSON.parse(await quire('rotate', '--json'))).toEqual({ existingLinksEndAt: expect.stringMatching(/Z$/) })
  const secondPath = (await createLink(jobId)).slice(server.url.length)
  expect(await quire('rotate')).toMatch(/Existing links end by 20\d\d-/)
  const thirdPath = (await createLink(jobId)).slice(server.url.length)
  expect([await ask(firstPath), await ask(secondPath), await ask(thirdPath)]).toEqual([200, 200, 200])
  expect(await quire('revoke')).toMatch(/^All links (to Quire )?are void\./)
  expect([await ask(firstPath), await ask(secondPath), await ask(thirdPath)]).toEqual([403, 403, 403])
  expect(await ask((await createLink(jobId)).slice(server.url.length))).toBe(200)
})

test('rule 10: an expired link can be replaced by a new one to the same bundle, also after a restart', async () => {
  const jobId = await completeExport()
  const first = await send(server.url, (await createLink(jobId)).slice(server.url.length))
  await server.restart()
  const second = await send(server.url, (await createLink(jobId)).slice(server.url.length))
  expect(second.headers.etag).toBe(first.headers.etag)
})

test('an unknown job and the job of another organization get identical answers', async () => {
  const jobId = await completeExport()
  const other = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, other.organizationId)
  const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': 'same' }
  for (const suffix of ['', '/bundle']) {
    const method = suffix === '' ? 'GET' : 'POST'
    const ask = (id: string) => send(server.url, `/v1/static-export/jobs/${id}${suffix}`, { method, headers })
    const { headers: ownHeaders, ...own } = await ask(jobId)
    const { headers: unknownHeaders, ...unknown } = await ask(createId('se'))
    expect(own).toEqual(unknown)
    expect({ ...ownHeaders, date: '' }).toEqual({ ...unknownHeaders, date: '' })
  }
  const ask = (id: string) => send(server.url, `/v1/analytics/${id}/visitors`, { headers })
  const visitors = await Promise.all([projectId, 'prj_unknown'].map(ask))
  expect(visitors[0]?.text).toBe(visitors[1]?.text)
})
