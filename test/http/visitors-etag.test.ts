import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type PageView, toViewBatch } from '../../server/analytics/view-batch.ts'
import { send } from '../support/client.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const today = Math.floor(Date.now() / 86_400_000)

let server: TestServer
let projectId: string
let path: string
let auth: Record<string, string>
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.dispose())
beforeEach(async () => {
  const organization = await createOrganization(server.store)
  projectId = organization.projectId
  path = `/v1/analytics/${projectId}/visitors`
  auth = { Authorization: `Bearer ${(await createApiKey(server.store, organization.organizationId)).key}` }
  await record(view(1, today - 1))
})

const view = (who: number, day: number, at = '/a'): PageView => ({
  visitor: Buffer.alloc(16, who),
  path: at,
  day,
  kind: 'human',
})
const record = (...views: PageView[]) => server.store.visits.recordBatch(projectId, toViewBatch(views))

const get = (query = '', headers: Record<string, string> = {}) =>
  send(server.url, path + query, { headers: { ...auth, ...headers } })
const etagOf = async (query = '', headers: Record<string, string> = {}) =>
  String((await get(query, headers)).headers.etag)
/** Asks whether the answer is still that of the ETag. */
const ask = (etag: string, query = '', headers: Record<string, string> = {}) =>
  get(query, { 'If-None-Match': etag, ...headers })
/** Matches the RateLimit of an answer after which so many requests are left. */
const left = (requests: number) => expect.stringMatching(new RegExp(`^"analytics";r=${requests};t=\\d+$`))

describe.each([
  ['JSON', {}],
  ['CSV', { Accept: 'text/csv' }],
])('%s', (_, headers: Record<string, string>) => {
  test('an unchanged answer is 304 without a body, and spends nothing', async () => {
    const etag = await etagOf('', headers)
    for (let i = 0; i < 5; i++) {
      const { status, text, headers: got } = await ask(etag, '', headers)
      expect({ status, text }).toEqual({ status: 304, text: '' })
      expect(got).toMatchObject({ etag, vary: 'Accept', 'cache-control': 'private, no-cache' })
      for (const name of ['content-type', 'content-length', 'ratelimit', 'visitor-totals']) {
        expect(got[name]).toBeUndefined()
      }
    }
    expect((await get('', headers)).headers.ratelimit).toEqual(left(98))
  })

  test.each([
    ['a visit of today', () => record(view(2, today))],
    ['a known visitor on another page', () => record(view(1, today - 1, '/b'))],
    ['a late visit', () => record(view(2, today - 400))],
    ['a visit later than now', () => record(view(2, today + 2))],
    ['a reset', () => server.store.visits.deleteVisits(projectId)],
  ])('%s changes the answer and its ETag', async (_, change) => {
    const before = await get('', headers)
    await change()
    const after = await ask(String(before.headers.etag), '', headers)
    expect(after.status).toBe(200)
    expect(after.headers.etag).not.toBe(before.headers.etag)
    expect(after.text).not.toBe(before.text)
    expect((await ask(String(after.headers.etag), '', headers)).status).toBe(304)
  })

  test('a reset and the same import give the same answer with another ETag', async () => {
    const before = await get('', headers)
    await server.store.visits.deleteVisits(projectId)
    await record(view(1, today - 1))
    const after = await ask(String(before.headers.etag), '', headers)
    expect(after).toMatchObject({ status: 200, text: before.text })
    expect(after.headers.etag).not.toBe(before.headers.etag)
  })

  test('an import of known visits keeps the ETag', async () => {
    const etag = await etagOf('', headers)
    await record(view(1, today - 1))
    expect((await ask(etag, '', headers)).status).toBe(304)
  })

  test('the answer is 304 when the budget is spent, and 429 once it has changed', async () => {
    const etag = await etagOf('', headers)
    for (let status = 0; status !== 429; ) status = (await get('?limit=0')).status
    expect((await ask(etag, '', headers)).status).toBe(304)
    await record(view(2, today))
    const refused = await ask(etag, '', headers)
    expect(refused).toMatchObject({ status: 429, headers: { ratelimit: expect.stringContaining('r=0') } })
    expect(refused.headers.etag).toBeUndefined()
  })
})

test('queries and media types have different ETags, and other spellings of a query the same', async () => {
  const date = new Date(today * 86_400_000).toISOString()
  const different = await Promise.all([
    etagOf(),
    etagOf('', { Accept: 'text/csv' }),
    etagOf('?limit=49'),
    etagOf('?offset=1'),
    etagOf(`?dateFrom=${date.slice(0, 10)}`),
    etagOf(`?dateTo=${date.slice(0, 10)}`),
    etagOf(`?dateTo=${date.slice(0, 10)}`, { Accept: 'text/csv' }),
  ])
  expect(new Set(different).size).toBe(different.length)
  expect(await etagOf('?offset=0&limit=50')).toBe(different[0])
  // A client whose dateTo is the current time gets a 304 all day.
  expect((await ask(different[5] as string, `?dateTo=${date.slice(0, 11)}23:59:59.999Z`)).status).toBe(304)
  expect((await ask(different[0] as string, '?limit=49')).status).toBe(200)
  expect((await ask(different[0] as string, '', { Accept: 'text/csv' })).status).toBe(200)
})

test('If-None-Match is compared weakly, and can be a list or a star', async () => {
  const etag = await etagOf()
  const opaque = etag.slice('W/'.length)
  for (const given of [etag, opaque, `"a", ${etag}`, `${opaque},W/"b"`, '*']) {
    expect({ given, status: (await ask(given)).status }).toEqual({ given, status: 304 })
  }
  for (const given of ['"a"', 'W/"a"', opaque.slice(1, -1), `"${opaque}"`, `${etag.slice(0, -2)}"`, ',', '']) {
    expect({ given, status: (await ask(given)).status }).toEqual({ given, status: 200 })
  }
  expect((await ask(etag, '', { 'Cache-Control': 'no-cache' })).status).toBe(200)
})

test('HEAD is answered 304 too', async () => {
  const etag = await etagOf()
  const headers = { ...auth, 'If-None-Match': etag }
  expect(await send(server.url, path, { method: 'HEAD', headers })).toMatchObject({ status: 304, text: '' })
})

describe('a star opens nothing', () => {
  const star = { 'If-None-Match': '*' }

  test('without a valid key or the scope', async () => {
    expect((await send(server.url, path, { headers: star })).status).toBe(401)
    const organization = await createOrganization(server.store)
    const { key } = await createApiKey(server.store, organization.organizationId, { scopes: ['ingest'] })
    const headers = { ...star, Authorization: `Bearer ${key}` }
    expect((await send(server.url, path, { headers })).status).toBe(403)
  })

  test('to the project of another organization, which answers like an unknown one and costs the same', async () => {
    const other = await createOrganization(server.store)
    await server.store.visits.recordBatch(other.projectId, toViewBatch([view(1, today)]))
    const headers = { ...auth, ...star, 'X-Request-Id': 'same' }
    const askFor = (id: string) => send(server.url, `/v1/analytics/${id}/visitors`, { headers })
    const foreign = await askFor(other.projectId)
    const unknown = await askFor('prj_unknown')
    expect(foreign).toMatchObject({ status: 404, text: unknown.text, headers: { ratelimit: left(99) } })
    expect(unknown).toMatchObject({ status: 404, headers: { ratelimit: left(98) } })
    expect({ ...foreign.headers, date: '', ratelimit: '' }).toEqual({ ...unknown.headers, date: '', ratelimit: '' })
  })

  test.each(['?limit=0', '?dateFrom=2026-02-30', '?dateFrom=2026-02-03&dateTo=2026-02-01', '?page=1', '?limit=0x10'])(
    'to the invalid query %s, which is a 400 and spends',
    async query => {
      const { status, headers, json } = await get(query, star)
      expect({ status, ratelimit: headers.ratelimit }).toEqual({ status: 400, ratelimit: left(99) })
      expect(json.details).toHaveLength(1)
      expect(headers.etag).toBeUndefined()
    },
  )
})
