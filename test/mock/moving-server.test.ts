import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generated } from '../../mock/both-documents.ts'
import { createMock, type Mock } from '../../spec/package/mock/index.ts'
import { createMovingServer } from '../../spec/package/mock-server/moving.ts'
import { type RawAnswer, send } from '../support/client.ts'
import { createRandom } from '../support/random.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const jobs = '/v1/static-export/jobs'
const json = { 'Content-Type': 'application/json' }
const origin = 'https://app.example.com'

let server: TestServer
let key: string
let projectId: string
let mock: Mock
let mockServer: Server
let mockUrl: string
const answered: string[] = []
beforeAll(async () => {
  server = await startTestServer({ corsOrigin: [origin] })
  const { organizationId, projectId: id } = await createOrganization(server.store)
  projectId = id
  await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin: null, createdAt: Date.now() })
  key = (await createApiKey(server.store, organizationId)).key
  mock = createMock({ stepSeconds: 36 })
  mockServer = createMovingServer({
    documents: generated,
    mock,
    allowsOrigin: given => given === origin,
    onAnswer: (method, target, status) => answered.push(`${status} ${method} ${target}`),
  })
  await new Promise<void>(done => mockServer.listen(0, '127.0.0.1', done))
  mockUrl = `http://127.0.0.1:${(mockServer.address() as AddressInfo).port}`
})
afterAll(async () => {
  mockServer.closeAllConnections()
  await new Promise(done => mockServer.close(done))
  await server.dispose()
})

const random = createRandom('invalid requests')
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T

interface Invalid {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

const bodies = [
  '',
  '{',
  '[]',
  'null',
  '5',
  '{}',
  '{"domain":5}',
  '{"domain":"https://docs.example.com"}',
  '{"domain":""}',
  '{"domian":"docs.example.com"}',
  '{"domain":"docs.example.com","path":[]}',
  '{"domain":"docs.example.com","paths":"/a"}',
  '{"domain":"docs.example.com","paths":["/a","/b","/a"]}',
  '{"domain":"docs.example.com","paths":["/a?b"]}',
  '{"domain":"docs.example.com","version":"-"}',
  '{"domain":"docs.example.com","deployment":"moon"}',
  '{"domain":"docs.example.com","features":{"search":"yes"}}',
  '{"domain":"docs.example.com","features":{"search":true}}',
  '{"domain":"docs.example.com","deployment":"cloud","features":{"search":false}}',
  '{"domain":"docs.example.com","features":{"serach":true}}',
  '{"domain":"docs.example.com","format":"rar"}',
  '{"domain":"docs.example.com","verify":null}',
  '{"domain":"docs.example.com","offlineSearch":"true"}',
  '{"domain":"unknown.example.com"}',
]
const types = ['application/json', 'text/plain', 'application/json; charset=latin1', ';;', 'application/jsonx']
const queries = [
  'limit=0',
  'limit=251',
  'limit=1e2',
  'limit=',
  'limit=1&limit=2',
  'limit=-1',
  'limit=%20',
  'offset=-1',
  'offset=x',
  `offset=${'9'.repeat(20)}`,
  'dateFrom=yesterday',
  'dateFrom=2026-02-30',
  'dateFrom=2026-11-21&dateTo=2026-11-20',
  'dateTo=2026-11-20T25:00',
  'limt=5',
  'page=2&limit=0',
  '=1',
  'a%',
  'limit[]=5',
  '__proto__=1',
]

function createInvalid(): Invalid {
  const headers: Record<string, string> = random() < 0.9 ? {} : { Authorization: pick(['', 'Bearer', 'Basic YTpi']) }
  const bad = pick([
    'start',
    'start',
    'visitors',
    'visitors',
    'csv',
    'project',
    'agent',
    'job',
    'query',
    'unknown',
    'path',
  ])
  switch (bad) {
    case 'start': {
      const isTyped = random() < 0.85
      const extra = random() < 0.1 ? { 'Idempotency-Key': pick(['a b', 'x'.repeat(256)]) } : {}
      const type = isTyped ? 'application/json' : pick(types)
      return { method: 'POST', path: jobs, headers: { ...headers, ...extra, 'Content-Type': type }, body: pick(bodies) }
    }
    case 'visitors':
      return { method: 'GET', path: `/v1/analytics/PROJECT/visitors?${pick(queries)}`, headers }
    case 'csv':
      return {
        method: 'GET',
        path: `/v1/analytics/PROJECT/visitors?${pick(['limit=5', 'offset=0', 'limit=x', 'dateTo=x'])}`,
        headers: { ...headers, Accept: 'text/csv' },
      }
    case 'project':
      return {
        method: 'GET',
        path: `/v1/analytics/${pick(['x', 'a%2Fb%3Fc%23d', '%', '..', '%2e', 'é'.normalize()].map(encodeURI))}/visitors`,
        headers,
      }
    case 'agent':
      return {
        method: 'GET',
        path: `/v2/agent/${pick(['PROJECT', 'x'])}/job/${pick(['none', '%E0%A4%A', '%00', 'a'])}`,
        headers,
      }
    case 'job':
      return pick([
        { method: 'GET', path: `${jobs}/${pick(['null', 'se_0', '%', '.', 'a%2fb'])}`, headers },
        { method: 'POST', path: `${jobs}/${pick(['null', 'se_0', '%zz'])}/bundle`, headers },
      ])
    case 'query':
      return { method: 'GET', path: `${jobs}/se_1?${pick(['verbose=1', 'limit=1', 'a=&b='])}`, headers }
    case 'unknown':
      return {
        method: pick(['GET', 'POST', 'PUT']),
        path: pick(['/v3/x', '/v1', '//[/', '/V1/static-export/jobs', `${jobs}//`]),
        headers,
      }
    default:
      return { method: pick(['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'GET']), path: jobs, headers }
  }
}

/** What clients see of a refusal. */
function show({ status, headers, json: body }: RawAnswer) {
  const shown = ['content-type', 'www-authenticate', 'allow', 'ratelimit-policy', 'cache-control', 'vary']
  return {
    status,
    headers: Object.fromEntries(shown.map(name => [name, headers[name]])),
    body: { ...body, requestId: '' },
  }
}

test('500 invalid requests are refused as by the server, word for word', async () => {
  const statuses = new Map<number, number>()
  const messages = new Set<string>()
  for (let i = 0; i < 500; i++) {
    const { method, path, headers, body } = createInvalid()
    const ask = (url: string, project: string, bearer: string) =>
      send(url, path.replace('PROJECT', project), {
        method,
        headers: { Authorization: `Bearer ${bearer}`, ...headers },
        ...(body !== undefined && { body }),
      })
    // The server counts invalid requests, too.
    if (i % 50 === 0) await server.stores.runUnchecked('DELETE FROM rate_limits')
    const refused = await ask(server.url, projectId, key)
    const got = await ask(mockUrl, 'prj_5b1c2d3e4f506172', 'any')
    expect({ i, method, path, body, answer: show(got) }).toEqual({ i, method, path, body, answer: show(refused) })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.status).toBeLessThan(500)
    statuses.set(refused.status, (statuses.get(refused.status) ?? 0) + 1)
    messages.add(String(refused.json.error))
  }
  expect([...statuses.keys()].sort()).toEqual([400, 401, 404, 405, 415])
  expect(messages.size).toBeGreaterThan(40)
})

test('a body that is too large, and compressed bodies, are answered as by the server', async () => {
  const { gzipSync } = await import('node:zlib')
  const cases = [
    { body: ' '.repeat(2 ** 20 + 1), headers: json },
    { body: gzipSync('{"domain":5}'), headers: { ...json, 'Content-Encoding': 'gzip' } },
    { body: Buffer.from('no gzip'), headers: { ...json, 'Content-Encoding': 'gzip' } },
    { body: '{}', headers: { ...json, 'Content-Encoding': 'zstd-9' } },
  ]
  for (const { body, headers } of cases) {
    const ask = (url: string, bearer: string) =>
      send(url, jobs, { method: 'POST', body, headers: { ...headers, Authorization: `Bearer ${bearer}` } })
    expect(show(await ask(mockUrl, 'any'))).toEqual(show(await ask(server.url, key)))
  }
})

test('scripts of an allowed origin get the same CORS headers as from the server', async () => {
  const preflight = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' }
  const cors = ({ status, headers }: RawAnswer) => [
    status,
    headers.vary,
    Object.entries(headers).filter(([name]) => name.startsWith('access-control-')),
  ]
  for (const [method, path, headers] of [
    ['OPTIONS', jobs, preflight],
    ['OPTIONS', '/bundles/x/y', preflight],
    ['GET', `${jobs}/x`, {}],
    ['GET', '/v3/x', {}],
  ] as const) {
    for (const given of [origin, 'https://other.example.com']) {
      const ask = (url: string) => send(url, path, { method, headers: { Origin: given, ...headers } })
      expect(cors(await ask(mockUrl))).toEqual(cors(await ask(server.url)))
    }
  }
})

test('links lead to the mock, and Range works', async () => {
  const headers = { Authorization: 'Bearer any' }
  const { json: link } = await send(mockUrl, `${jobs}/se_0f3c9a1b2d4e5f60/bundle`, { method: 'POST', headers })
  const url = new URL(String(link.bundleUrl))
  expect(url.origin).toBe(mockUrl)
  const part = await send(mockUrl, url.pathname + url.search, { headers: { Range: 'bytes=0-1' } })
  expect({ status: part.status, text: part.text, length: part.headers['content-length'] }).toEqual({
    status: 206,
    text: 'PK',
    length: '2',
  })
  const head = await send(mockUrl, url.pathname + url.search, { method: 'HEAD' })
  expect(head.headers['content-length']).toBe(String(link.sizeBytes))
})

test('the control page switches the scenario, the delay and the error, and starts again', async () => {
  const page = await send(mockUrl, '/mock')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.text).not.toContain('<script')
  expect(page.text).toContain('value="usual" checked')
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const post = (body: string, headers = {}) =>
    send(mockUrl, '/mock', { method: 'POST', body, headers: { ...form, ...headers } })
  expect(await post('scenario=faults&delay=3&error=plan')).toMatchObject({
    status: 303,
    headers: { location: '/mock' },
  })
  expect(mock.settings()).toEqual({ scenario: 'faults', delayMs: 3, error: 'plan' })
  expect(await send(mockUrl, `${jobs}/x`, { headers: { Authorization: 'Bearer any' } })).toMatchObject({ status: 403 })
  const refused = await post('scenario=none')
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('There is no scenario none.')
  expect((await post('scenario=slow', { Origin: 'https://evil.example' })).status).toBe(403)
  expect(mock.settings().scenario).toBe('faults')
  await post('reset=yes', { Origin: mockUrl })
  expect(mock.settings()).toEqual({ scenario: 'usual', delayMs: 0, error: null })
})

test('each answer is reported with its status', async () => {
  await send(mockUrl, '/v3/reported')
  expect(answered.at(-1)).toBe('404 GET /v3/reported')
})

test('the error `network` breaks the connection', async () => {
  await expect(send(mockUrl, `${jobs}/x?__error=network`)).rejects.toThrow(/socket hang up/)
})
