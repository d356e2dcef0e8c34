import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { send } from '../support/client.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const day = 20_700 // 2026-09-04
const pageCount = 5200

let server: TestServer
let projectId: string
let path: string
let auth: Record<string, string>
beforeAll(async () => {
  server = await startTestServer({ corsOrigin: ['https://app.example.com'] })
})
afterAll(() => server.dispose())
beforeEach(async () => {
  const organization = await createOrganization(server.store)
  projectId = organization.projectId
  path = `/v1/analytics/${projectId}/visitors`
  auth = { Authorization: `Bearer ${(await createApiKey(server.store, organization.organizationId)).key}` }
})

const get = (query = '', headers: Record<string, string> = {}) =>
  send(server.url, path + query, { headers: { ...auth, ...headers } })
/** Matches the RateLimit of the first answer. */
const first = expect.stringMatching(/^"analytics";r=99;t=\d+$/)
const csv = { Accept: 'text/csv' }

/** Records two visitors: one person on all pages, and one AI on every third page and a day later. */
async function recordVisits(pages = pageCount): Promise<void> {
  const views = Array.from({ length: pages }, (_, i) => [
    { visitor: Buffer.alloc(16, 1), path: `/guides/page-${i}`, day, kind: 'human' as const },
    ...(i % 3 === 0
      ? [{ visitor: Buffer.alloc(16, 2), path: `/guides/page-${i}`, day: day + 1, kind: 'ai' as const }]
      : []),
  ])
  await server.store.visits.recordBatch(projectId, toViewBatch(views.flat()))
}

interface Page {
  path: string
  human: number
  ai: number
  total: number
}

/** Reads all pages as JSON, page by page. */
async function readJson(query: string): Promise<Page[]> {
  const pages: Page[] = []
  for (let offset = 0; ; offset += 250) {
    const { json } = await get(`?limit=250&offset=${offset}${query}`)
    pages.push(...(json.visitors as Page[]))
    if (!json.hasMore) return pages
  }
}

test('one request gets all pages of a range, in the order of the JSON, with the totals of the site', async () => {
  await recordVisits()
  const answer = await get('', csv)
  expect(answer).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="visitors-${projectId}.csv"`,
      'visitor-totals': 'human=1, ai=1, total=2',
      ratelimit: first,
      'ratelimit-policy': '"analytics";q=100;w=3600',
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      'cache-control': 'private, no-cache',
      vary: 'Origin, Accept',
      'x-request-id': expect.any(String),
    },
  })
  const pages = await readJson('')
  expect(pages).toHaveLength(pageCount)
  const lines = pages.map(page => `${page.path},${page.human},${page.ai},${page.total}\r\n`)
  expect(answer.text).toBe(`path,human,ai,total\r\n${lines.join('')}`)
})

test('a range has its own file name, pages and totals', async () => {
  await recordVisits(9)
  const answer = await get('?dateFrom=2026-09-05T00:00:00Z&dateTo=2026-09-06', csv)
  expect(answer.text.split('\r\n')).toEqual([
    'path,human,ai,total',
    '/guides/page-0,0,1,1',
    '/guides/page-3,0,1,1',
    '/guides/page-6,0,1,1',
    '',
  ])
  expect(answer.headers).toMatchObject({
    'content-disposition': `attachment; filename="visitors-${projectId}-from-2026-09-05-before-2026-09-06.csv"`,
    'visitor-totals': 'human=0, ai=1, total=1',
  })
})

test('a project without visits has only the head', async () => {
  const { status, text, headers } = await get('', csv)
  expect({ status, text, totals: headers['visitor-totals'] }).toEqual({
    status: 200,
    text: 'path,human,ai,total\r\n',
    totals: 'human=0, ai=0, total=0',
  })
})

test('clients without a preference for CSV get JSON as before', async () => {
  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    'application/json, text/csv',
    'text/html',
    'text/*',
    ';;',
  ]) {
    const { status, headers, json } = await get('?limit=5', accept === undefined ? {} : { Accept: accept })
    expect({ status, type: headers['content-type'], json }).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      json: { totals: { human: 0, ai: 0, total: 0 }, visitors: [], hasMore: false },
    })
    expect(headers['visitor-totals']).toBeUndefined()
    expect(headers.vary).toBe('Origin, Accept')
  }
})

describe('errors are JSON', () => {
  test.each([
    ['?limit=5', 'limit does not apply to text/csv. Leave it out, or accept application/json.'],
    ['?offset=0', 'offset does not apply to text/csv. Leave it out, or accept application/json.'],
    ['?dateFrom=2026-02-30', 'dateFrom is not a valid date or time. Example: 2026-11-20 or 2026-11-20T10:00:00Z.'],
    ['?page=2', expect.stringContaining('page is not a query parameter')],
  ])('%s', async (query, error) => {
    const { status, json, headers } = await get(query, csv)
    expect({ status, error: json.error }).toEqual({ status: 400, error })
    expect(json.details).toMatchObject([{ message: error, field: query.slice(1).split('=')[0] }])
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      ratelimit: first,
    })
    expect(headers.etag).toBeUndefined()
  })

  test.each(['?limit=5&offset=5', '?dateFrom=2026-02-30&dateTo=2026-13-01'])(
    'both are named at once: %s',
    async query => {
      const { json } = await get(query, csv)
      const fields = [...query.matchAll(/\w+(?==)/g)].map(([field]) => ({ field }))
      expect(json.details).toMatchObject(fields)
    },
  )

  test('without a key, and for a project of another organization', async () => {
    expect(await send(server.url, path, { headers: csv })).toMatchObject({
      status: 401,
      json: { error: expect.stringContaining('API key') },
    })
    const other = await createOrganization(server.store)
    path = `/v1/analytics/${other.projectId}/visitors`
    const foreign = await get('', csv)
    path = '/v1/analytics/prj_unknown/visitors'
    const unknown = await get('', csv)
    const { requestId } = foreign.json
    expect({ status: foreign.status, json: foreign.json }).toEqual({
      status: 404,
      json: { ...unknown.json, requestId },
    })
  })

  test('when the budget is spent', async () => {
    for (let status = 0; status !== 429; ) status = (await get('?limit=0')).status
    expect(await get('', csv)).toMatchObject({
      status: 429,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
  })
})

test('HEAD has the headers of GET and no body, and frees the counts', async () => {
  await recordVisits(10)
  for (let i = 0; i < 5; i++) {
    const { status, headers, text } = await send(server.url, path, { method: 'HEAD', headers: { ...auth, ...csv } })
    expect({ status, text, type: headers['content-type'], totals: headers['visitor-totals'] }).toEqual({
      status: 200,
      text: '',
      type: 'text/csv; charset=utf-8',
      totals: 'human=1, ai=1, total=2',
    })
  }
})

test('clients that leave before the end free the counts for others', async () => {
  await recordVisits()
  for (let i = 0; i < 5; i++) await leaveEarly()
  expect((await get('', csv)).text.length).toBeGreaterThan(pageCount * 10)

  /** Reads the headers, and closes the connection. */
  function leaveEarly(): Promise<void> {
    return new Promise((done, failed) => {
      const req = request(server.url + path, { headers: { ...auth, ...csv } }, res => {
        res.destroy()
        done()
      })
      req.on('error', failed)
      req.end()
    })
  }
})
