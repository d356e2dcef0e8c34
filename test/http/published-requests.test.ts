import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

// Requests as such APIs publish them, sent exactly as written.

let server: TestServer
let projectId: string
let headers: Record<string, string>

beforeAll(async () => {
  server = await startTestServer()
  const organization = await createOrganization(server.store)
  projectId = organization.projectId
  const { key } = await createApiKey(server.store, organization.organizationId)
  headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  // Nothing listens there, so the jobs fail at once.
  const origin = 'http://127.0.0.1:9/'
  await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin, createdAt: 0 })
})
afterAll(() => server.dispose())

const post = (body: string, more: Record<string, string> = {}) =>
  send(server.url, '/v1/static-export/jobs', { method: 'POST', headers: { ...headers, ...more }, body })

describe('a start', () => {
  test.each([
    ['{"domain": "docs.example.com"}', { version: null, paths: null }],
    ['{"domain": "docs.example.com", "version": "v1.0"}', { version: 'v1.0' }],
    ['{"domain": "docs.example.com", "version": "Version 2.4 LTS"}', { version: 'Version 2.4 LTS' }],
    [
      '{"domain": "docs.example.com", "paths": ["index", "guides/getting-started"]}',
      { paths: ['/', '/guides/getting-started'] },
    ],
    [
      '{"domain": "docs.example.com", "paths": ["/", "/guides/getting-started"]}',
      { paths: ['/', '/guides/getting-started'] },
    ],
    ['{"domain": "docs.example.com", "paths": []}', { paths: null }],
    ['{"domain": "docs.example.com", "version": "main", "paths": []}', { version: 'main', paths: null }],
  ])('%s', async (body, want) => {
    const answer = await post(body)
    expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 202, error: null })
    const { request } = (await server.store.exportJobs.find(String(answer.json.jobId))) ?? {}
    expect(request).toMatchObject({ domain: 'docs.example.com', ...want })
  })

  test('two spellings of the same pages are the same request', async () => {
    const key = { 'Idempotency-Key': 'pages' }
    const first = await post('{"domain":"docs.example.com","paths":["index","a"]}', key)
    const again = await post('{"domain":"docs.example.com","paths":["/","/a"]}', key)
    expect(again).toMatchObject({ status: 202, json: { jobId: first.json.jobId } })
  })

  test('repeated with its idempotency key says so', async () => {
    const key = { 'Idempotency-Key': 'replay' }
    const first = await post('{"domain":"docs.example.com"}', key)
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    const again = await post('{"domain":"docs.example.com"}', key)
    expect(again).toMatchObject({ status: 202, headers: { 'idempotency-replayed': 'true' } })
    expect(again.json.jobId).toBe(first.json.jobId)
    const without = await post('{"domain":"docs.example.com"}')
    expect(without.headers['idempotency-replayed']).toBeUndefined()
  })
})

test.each([
  [
    '{"domain":"docs.example.com","path":["index"]}',
    'path is not a field of this operation. Did you mean paths? Known',
  ],
  ['{"domian":"docs.example.com"}', 'domian is not a field of this operation. Did you mean domain? Known'],
  ['{"domain":"docs.example.com","features":{"serach":false}}', 'Did you mean features.search? Known'],
  ['{"domain":"docs.example.com","webhook":"a"}', 'webhook is not a field of this operation. Known here: domain'],
])('%s is refused with the nearest known name', async (body, error) => {
  expect(await post(body)).toMatchObject({ status: 400, json: { error: expect.stringContaining(error) } })
})

test('a misspelt query parameter is refused with the nearest known name', async () => {
  const { status, json } = await send(server.url, `/v1/analytics/${projectId}/visitors?datefrom=2026-11-20`, {
    headers,
  })
  expect({ status, json }).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('Did you mean dateFrom? Known here: dateFrom') },
  })
})

test('the examples of unknown names in the document are what the server answers', async () => {
  const { components } = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'))
  const requestId = expect.any(String)
  expect((await post('{"domain":"docs.example.com","path":["/a"]}')).json).toEqual({
    ...components.examples.UnknownField.value,
    requestId,
  })
  const visitors = await send(server.url, `/v1/analytics/${projectId}/visitors?page=2`, { headers })
  expect(visitors.json).toEqual({ ...components.examples.UnknownVisitorsParameter.value, requestId })
})

test.each([
  '',
  '?dateFrom=2026-11-01&dateTo=2026-11-20',
  '?dateFrom=2026-11-01T00:00:00Z&dateTo=2026-11-20T00:00:00Z&limit=100&offset=0',
  '?limit=250&offset=0&dateTo=2026-11-20T10:11:12.123456+00:00',
  '?limit=50',
])('visitors%s', async query => {
  const { status, json } = await send(server.url, `/v1/analytics/${projectId}/visitors${query}`, { headers })
  expect({ status, json }).toMatchObject({ status: 200, json: { visitors: [], hasMore: false } })
})

test('an agent job is polled, and its links are URLs', async () => {
  const job = { projectId, id: 'aj_1', status: 'active' as const, model: 'sonnet', prLink: null, archivedAt: null }
  const source = { repository: 'https://github.com/acme/docs', ref: null }
  await server.store.agentJobs.insert({ ...job, source, createdAt: 0 })
  const answer = await send(server.url, `/v2/agent/${projectId}/job/aj_1`, { headers })
  expect(answer).toMatchObject({ status: 200, json: { id: 'aj_1', status: 'active', prLink: null, source } })
})
