import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RawAnswer, send } from '../support/client.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let projectId: string
let headers: Record<string, string>

beforeAll(async () => {
  server = await startTestServer()
  const organization = await createOrganization(server.store)
  projectId = organization.projectId
  const { key } = await createApiKey(server.store, organization.organizationId)
  headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  await server.store.sites.insert({
    domain: 'docs.example.com',
    projectId,
    origin: 'http://127.0.0.1:9/',
    createdAt: 0,
  })
})
afterAll(() => server.dispose())

/** Expects an error in the documented body that names the field and shows no internals. */
async function expectRefusal(ask: () => Promise<RawAnswer>, status: number, named: string): Promise<void> {
  const answer = await ask()
  expect({ status: answer.status, error: answer.json.error }).toEqual({ status, error: expect.stringContaining(named) })
  expect(answer.headers['x-request-id']).toBeTypeOf('string')
  expect(answer.text).not.toMatch(/node_modules|\.ts:\d+|\bat /)
}

describe('visitors', () => {
  test.each([
    ['limit=0', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=251', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=-1', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=1.5', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=1e9', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=1e2', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=0x10', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=0b1', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=%2010', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=10%20', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=%2B10', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=1_0', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=%D9%A1', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=10.0', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['offset=-0', 'offset must be a whole number from 0 to 9007199254740991. Example: 0'],
    ['limit=x', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit=Infinity', 'limit must be a whole number from 1 to 250'],
    ['offset=Infinity', 'offset must be a whole number from 0 to 9007199254740991. Example: 0'],
    [`offset=${'9'.repeat(400)}`, 'offset must be a whole number from 0 to 9007199254740991. Example: 0'],
    ['limit=', 'limit is empty'],
    [`${'&'.repeat(1001)}limit=0`, 'limit must be a whole number from 1 to 250. Example: 250'],
    ['=1', 'The query has a parameter without a name. Leave it out.'],
    ['limit=1&limit=2', 'limit must be a whole number from 1 to 250. Example: 250'],
    ['limit[]=1', 'limit[] is not a query parameter of this operation. Did you mean limit?'],
    ['offset=-1', 'offset must be a whole number from 0 to 9007199254740991. Example: 0'],
    ['offset=99999999999999999999', 'offset must be a whole number from 0 to 9007199254740991. Example: 0'],
    ['dateFrom=2026-02-30', 'dateFrom is not a valid date'],
    ['dateTo=2026-11-20T25:00:00Z', 'dateTo is not a valid date'],
    [
      'dateFrom=yesterday',
      'dateFrom must be a date (YYYY-MM-DD), or a date and time (YYYY-MM-DDThh:mm:ss) that may end with Z or an offset. Example: 2026-',
    ],
    ['dateFrom=20261120', 'dateFrom must be a date (YYYY-MM-DD), or'],
    ['dateFrom=2026-11-20&dateTo=2026-11-19', 'dateFrom is after dateTo'],
    ['from=2026-11-20', 'from is not a query parameter of this operation. Known here: dateFrom, dateTo, limit, offset'],
    ['__proto__=1', 'is not a query parameter'],
    ['constructor=1', 'is not a query parameter'],
    ['[=1', '[ is not a query parameter of this operation. Known here: dateFrom'],
    ['%5Blimit%5D=1', '[limit] is not a query parameter of this operation. Did you mean limit? Known here: dateFrom'],
    ['a/b[=1', 'a/b[ is not a query parameter of this operation. Known here: dateFrom'],
    ['a[b]=1', 'a[b] is not a query parameter of this operation. Known here: dateFrom'],
    ['__proto__[a]=1', '__proto__[a] is not a query parameter of this operation. Known here: dateFrom'],
    ['limit[=1', 'limit[ is not a query parameter of this operation. Did you mean limit?'],
    ['limit[__proto__]=1', 'limit[__proto__] is not a query parameter of this operation. Known here: dateFrom'],
    ['dateFrom[a]b=2026-11-20', 'dateFrom[a]b is not a query parameter of this operation.'],
  ])('?%s', async (query, named) => {
    // Each counts against the rate limit, so each uses a separate organization.
    const organization = await createOrganization(server.store)
    const { key } = await createApiKey(server.store, organization.organizationId)
    const path = `/v1/analytics/${organization.projectId}/visitors?${query}`
    const ask = () => send(server.url, path, { headers: { Authorization: `Bearer ${key}` } })
    await expectRefusal(ask, 400, named)
    expect((await ask()).json.details).toMatchObject([
      { message: expect.stringContaining(named), code: expect.stringMatching(/^[a-z_]+$/) },
    ])
  })
})

const post = (body: string | Buffer, more: Record<string, string> = {}) =>
  send(server.url, '/v1/static-export/jobs', { method: 'POST', headers: { ...headers, ...more }, body })

const invalidStarts: [body: string, named: string][] = [
  ['{', 'not valid JSON'],
  ['', 'domain is missing'],
  ['null', 'request body'],
  ['[]', 'The request body must be a JSON object. Example: {"domain":"docs.example.com"}'],
  ['"docs.example.com"', 'request body'],
  ['{}', 'domain is missing. Example: docs.example.com'],
  ['{"domain":7}', 'domain must be a bare host name'],
  ['{"domain":null}', 'domain must be a bare host name'],
  ['{"domain":"unknown.example.com"}', 'domain is not a registered site of this organization'],
  [
    '{"domain":"https://docs.example.com"}',
    'domain must be a bare host name, without scheme, port and path (1 to 253 characters). Example: docs.example.com',
  ],
  [
    '{"domain":"docs.example.com:443"}',
    'domain must be a bare host name, without scheme, port and path (1 to 253 characters). Example: docs.example.com',
  ],
  [
    '{"domain":"docs.example.com/a"}',
    'domain must be a bare host name, without scheme, port and path (1 to 253 characters). Example: docs.example.com',
  ],
  [
    '{"domain":"user@docs.example.com"}',
    'domain must be a bare host name, without scheme, port and path (1 to 253 characters). Example: docs.example.com',
  ],
  [
    '{"domain":"docs.example.com\\u0000"}',
    'domain must be a bare host name, without scheme, port and path (1 to 253 characters). Example: docs.example.com',
  ],
  [
    '{"domain":"docs.example.com\\n"}',
    'domain must be a bare host name, without scheme, port and path (1 to 253 characters). Example: docs.example.com',
  ],
  [
    '{"domain":"docs.example.com","paths":["/a/../../etc/passwd"]}',
    'paths[0] must be the path of a page without query, ',
  ],
  [
    '{"domain":"docs.example.com","paths":["https://evil.example/"]}',
    'paths[0] must be the path of a page without query, ',
  ],
  ['{"domain":"docs.example.com","paths":["//evil.example/"]}', 'paths[0] must be the path of a page without query, '],
  ['{"domain":"docs.example.com","paths":["/a","b?c"]}', 'paths[1] must be the path of a page without query, '],
  [
    '{"domain":"docs.example.com","paths":["https://evil.example"]}',
    'paths[0] must be the path of a page without query, ',
  ],
  [
    '{"domain":"docs.example.com","paths":["javascript:alert(1)"]}',
    'paths[0] must be the path of a page without query, ',
  ],
  ['{"domain":"docs.example.com","paths":["../secret"]}', 'paths[0] must be the path of a page without query, '],
  ['{"domain":"docs.example.com","paths":[""]}', 'paths[0] must be the path of a page'],
  ['{"domain":"docs.example.com","paths":["/a\\\\..\\\\b"]}', 'paths[0] must be the path of a page without query, '],
  ['{"domain":"docs.example.com","paths":"/a"}', 'paths must be a list of up to 1000 different values. Example: ['],
  ['{"domain":"docs.example.com","paths":["/a","/b","/a"]}', 'paths[2] repeats paths[0]. paths must be a list'],
  [
    '{"domain":"docs.example.com","path":["/a"]}',
    'path is not a field of this operation. Did you mean paths? Known here: domain',
  ],
  [
    '{"domain":"docs.example.com","deployment":"moon"}',
    'deployment must be cloud, client-hosted or air-gapped. Example: client-hosted',
  ],
  ['{"domain":"docs.example.com","features":{"search":true}}', 'features.search cannot be true'],
  ['{"domain":"docs.example.com","features":{"serach":true}}', 'features.serach is not a field'],
  ['{"domain":"docs.example.com","features":{"":true}}', 'The request body has a field without a name. Leave it out.'],
  [
    '{"domain":"docs.example.com","deployment":"cloud","features":{"assistant":false}}',
    'features.assistant is always true',
  ],
  ['{"domain":"docs.example.com","format":"rar"}', 'format must be zip or tar.gz'],
  ['{"domain":"docs.example.com","offlineSearch":"yes"}', 'offlineSearch must be true or false'],
  ['{"domain":"docs.example.com","verify":"all"}', 'verify must be static, sample or full'],
  ['{"domain":"docs.example.com","version":" a"}', 'version must be a label that begins with a letter or digit'],
  ['{"domain":"docs.example.com","version":"a/b"}', 'version must be a label that begins with a letter or digit'],
]

describe('start of an export', () => {
  test.each(invalidStarts)('%s', async (body, named) => {
    await expectRefusal(() => post(body), 400, named)
  })

  test('an Idempotency-Key with invalid characters, or longer than 255', async () => {
    const body = '{"domain":"docs.example.com"}'
    await expectRefusal(
      () => post(body, { 'Idempotency-Key': 'a b' }),
      400,
      'Idempotency-Key must be text of visible ASCII characters, without spaces',
    )
    await expectRefusal(
      () => post(body, { 'Idempotency-Key': 'a'.repeat(256) }),
      400,
      'Idempotency-Key must be text of visible ASCII characters, without spaces (1 to 255 characters)',
    )
  })

  test('an unknown query parameter', async () => {
    const ask = () =>
      send(server.url, '/v1/static-export/jobs?dry=1', {
        method: 'POST',
        headers,
        body: '{"domain":"docs.example.com"}',
      })
    await expectRefusal(ask, 400, 'dry is not a query parameter of this operation. This operation has none.')
  })

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json; charset=latin1'],
    ['application/jsonp'],
    [''],
  ])('Content-Type: %s', async type => {
    await expectRefusal(() => post('{"domain":"docs.example.com"}', { 'Content-Type': type }), 415, 'must be JSON')
  })

  test('an unsupported Content-Encoding', async () => {
    await expectRefusal(
      () => post('{"domain":"docs.example.com"}', { 'Content-Encoding': 'zip' }),
      415,
      'Content-Encoding',
    )
  })

  test('a body of 10 MB, and a small one that decompresses to it', async () => {
    const { gzipSync } = await import('node:zlib')
    const large = JSON.stringify({ domain: 'docs.example.com', version: 'a'.repeat(10_000_000) })
    await expectRefusal(() => post(large), 413, 'too large')
    await expectRefusal(() => post(gzipSync(large), { 'Content-Encoding': 'gzip' }), 413, 'too large')
  })

  test.each(['gzip', 'deflate', 'br'])('a body with Content-Encoding %s that is not compressed', async encoding => {
    const ask = () => post('{"domain":"docs.example.com"}', { 'Content-Encoding': encoding })
    await expectRefusal(ask, 400, 'does not match its Content-Encoding')
  })

  test('JSON nested 100,000 deep', async () => {
    const { status } = await post(`{"domain":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    expect(status).toBe(400)
  })

  test('none of this started a job or raised an error', async () => {
    expect(await server.store.exportJobs.claim('test', Date.now() + 3_600_000, 1000)).toBeUndefined()
    expect(server.logged.filter(line => Number(line.level) >= 50)).toEqual([])
  })
})

describe('ids', () => {
  test.each([
    ['a NUL', '%00'],
    ['encoded slashes', '..%2F..%2Fetc%2Fpasswd'],
    ['15,000 characters', 'a'.repeat(15_000)],
    ['SQL', "'%20OR%201=1--"],
    ['text that is not ASCII', '%F0%9F%93%9A'],
  ])('%s', async (_, id) => {
    await expectRefusal(() => send(server.url, `/v2/agent/${id}/job/x`, { headers }), 404, 'Invalid project id')
    await expectRefusal(() => send(server.url, `/v2/agent/${projectId}/job/${id}`, { headers }), 404, 'agent job')
    await expectRefusal(() => send(server.url, `/v1/static-export/jobs/${id}`, { headers }), 404, 'export job')
    const bundle = () => send(server.url, `/v1/static-export/jobs/${id}/bundle`, { method: 'POST', headers })
    await expectRefusal(bundle, 404, 'export job')
  })

  test('an invalid percent escape is a 400 in the error body of the operation', async () => {
    await expectRefusal(() => send(server.url, '/v2/agent/%ZZ/job/x', { headers }), 400, 'percent sign')
    const remove = () => send(server.url, '/v2/agent/%ZZ/job/x', { method: 'DELETE', headers })
    await expectRefusal(remove, 405, 'accepts only GET')
    const visitors = await send(server.url, '/v1/analytics/%E0%A4%A/visitors', { headers })
    expect(visitors.json).toMatchObject({ error: expect.any(String), details: [{ message: expect.any(String) }] })
  })
})
