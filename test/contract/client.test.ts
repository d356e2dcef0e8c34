import { expect, expectTypeOf, test } from 'vitest'
import { type components, createClient, type Result } from '../../spec/package/client/index.ts'

const baseUrl = 'http://127.0.0.1:8787'

/** Creates a client that sends nothing. It adds each request to the list, and the answer is always the body. */
function openClient(status: number, body: object) {
  const requests: Request[] = []
  const client = createClient({
    baseUrl,
    apiKey: 'quire_test',
    fetch: async request => {
      requests.push(request)
      // The answer of a successful start is 202.
      const isStart = status === 200 && new URL(request.url).pathname === '/v1/static-export/jobs'
      return Response.json(body, { status: isStart ? 202 : status })
    },
  })
  return { client, requests }
}

test('sends each operation with its method, path and key', async () => {
  const { client, requests } = openClient(200, {})
  const jobId = 'se_0f3c9a1b2d4e5f60'
  await client.getAgentJob({ params: { path: { projectId: 'p', id: 'j' } } })
  await client.getUniqueVisitors({
    params: { path: { projectId: 'p' }, query: { dateTo: '2026-11-20T10:11:12+00:00', limit: 250 } },
  })
  await client.startStaticExportJob({
    params: { header: { 'Idempotency-Key': 'k' } },
    body: { domain: 'docs.example.com' },
  })
  await client.getStaticExportJob({ params: { path: { jobId } } })
  await client.generateStaticExportBundle({ params: { path: { jobId } } })
  expect(requests.map(({ method, url }) => `${method} ${url.slice(baseUrl.length)}`)).toEqual([
    'GET /v2/agent/p/job/j',
    'GET /v1/analytics/p/visitors?dateTo=2026-11-20T10%3A11%3A12%2B00%3A00&limit=250',
    'POST /v1/static-export/jobs',
    'GET /v1/static-export/jobs/se_0f3c9a1b2d4e5f60',
    'POST /v1/static-export/jobs/se_0f3c9a1b2d4e5f60/bundle',
  ])
  for (const request of requests) expect(request.headers.get('Authorization')).toBe('Bearer quire_test')
  expect(await requests[2]?.json()).toEqual({ domain: 'docs.example.com' })
  expect(requests[2]?.headers.get('Idempotency-Key')).toBe('k')
})

test('keeps a path parameter with reserved characters in one segment', async () => {
  const { client, requests } = openClient(404, { error: 'Invalid project id' })
  await client.getUniqueVisitors({ params: { path: { projectId: 'a/b?c#d' } } })
  expect(requests[0]?.url).toBe(`${baseUrl}/v1/analytics/a%2Fb%3Fc%23d/visitors`)
})

test('requests a bundle without body and Content-Type', async () => {
  const { client, requests } = openClient(200, {})
  await client.generateStaticExportBundle({ params: { path: { jobId: 'se_0f3c9a1b2d4e5f60' } } })
  expect(requests[0]?.headers.get('Content-Type')).toBeNull()
  expect(requests[0]?.body).toBeNull()
})

test('distinguishes data and error by the status, with the documented types', async () => {
  const found = await openClient(200, { id: 'aj_1' }).client.getAgentJob({
    params: { path: { projectId: 'p', id: 'j' } },
  })
  expect(found.data).toEqual({ id: 'aj_1' })
  expect(found.error).toBeUndefined()
  expectTypeOf(found.data).toEqualTypeOf<components['schemas']['AgentJob'] | undefined>()

  const refused = await openClient(429, { error: 'spent', details: [{ message: 'spent' }] }).client.getUniqueVisitors({
    params: { path: { projectId: 'p' } },
  })
  expect(refused.data).toBeUndefined()
  expect(refused.error).toEqual({ error: 'spent', details: [{ message: 'spent' }] })
  expect(refused.response.status).toBe(429)
  expectTypeOf(refused.error).toEqualTypeOf<components['schemas']['AnalyticsError'] | undefined>()
})

/** A client of a server that always answers with this response. */
function answerWith(response: Response) {
  const requests: Request[] = []
  const client = createClient({
    baseUrl,
    apiKey: 'quire_test',
    fetch: async request => {
      requests.push(request)
      return response
    },
  })
  return { client, requests }
}

test('gets the visitors as CSV: as text, or as a stream', async () => {
  const csv = 'path,human,ai,total\r\n/,540,42,581\r\n'
  const params = { path: { projectId: 'p' }, query: { dateFrom: '2026-11-01' } }
  const { client, requests } = answerWith(new Response(csv, { headers: { 'Content-Type': 'text/csv' } }))
  const asText = await client.getUniqueVisitors({ params, headers: { Accept: 'text/csv' }, parseAs: 'text' })
  expect(asText.data).toBe(csv)
  expectTypeOf(asText.data).toEqualTypeOf<string | undefined>()
  expect(requests[0]?.headers.get('Accept')).toBe('text/csv')

  const streaming = answerWith(new Response(csv)).client
  const asStream = await streaming.getUniqueVisitors({ params, headers: { Accept: 'text/csv' }, parseAs: 'stream' })
  expectTypeOf(asStream.data).toEqualTypeOf<ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined>()
  expect(await new Response(asStream.data ?? null).text()).toBe(csv)
})

test('without parseAs, the visitors are typed as JSON', async () => {
  const { data } = await openClient(200, {}).client.getUniqueVisitors({ params: { path: { projectId: 'p' } } })
  expectTypeOf(data).toEqualTypeOf<components['schemas']['UniqueVisitors'] | undefined>()
})

test('asks with If-None-Match, and a 304 has neither data nor error', async () => {
  const { client, requests } = answerWith(new Response(null, { status: 304 }))
  const { data, error, response } = await client.getUniqueVisitors({
    params: { path: { projectId: 'p' }, header: { 'If-None-Match': 'W/"tag"' } },
  })
  expect({ data, hasError: Boolean(error), status: response.status }).toEqual({
    data: undefined,
    hasError: false,
    status: 304,
  })
  expect(requests[0]?.headers.get('If-None-Match')).toBe('W/"tag"')
})

test('the status decides which body an answer has', async () => {
  const refused = openClient(429, { error: 'spent', details: [{ message: 'spent' }] })
  const r = await refused.client.getUniqueVisitors({ params: { path: { projectId: 'p' } } })
  expectTypeOf(r.status).toEqualTypeOf<200 | 304 | 400 | 401 | 403 | 404 | 429 | 500>()
  const messages: string[] = []
  if (r.status === 429) messages.push(...r.error.details.map(({ message }) => message))
  expect(messages).toEqual(['spent'])

  // Never called: this tests the compiler.
  const narrow = (visitors: Result<'getUniqueVisitors'>, started: Result<'startStaticExportJob'>) => {
    if (visitors.status === 200) expectTypeOf(visitors.data.hasMore).toEqualTypeOf<boolean>()
    if (visitors.status === 304) expectTypeOf(visitors.data).toEqualTypeOf<undefined>()
    if (started.status === 202) expectTypeOf(started.data.jobId).toEqualTypeOf<string>()
    if (started.status === 409) expectTypeOf(started.error.error).toEqualTypeOf<string>()
    // @ts-expect-error: the document lists no 418
    if (visitors.status === 418) return
    // @ts-expect-error: the answer of a start is 202
    if (started.status === 200) return
    // @ts-expect-error: a refusal has no data
    if (visitors.status === 429) visitors.data.visitors
    // @ts-expect-error: a success has no error
    if (visitors.status === 200) visitors.error.details
    // @ts-expect-error: the errors of exports need not have details
    if (started.status === 409) started.error.details.length
    // @ts-expect-error: without its status, an answer may have no data
    visitors.data.visitors
  }
  expect(narrow).toBeTypeOf('function')
})

test('the compiler refuses fields that are not in the document', () => {
  const { client } = openClient(200, {})
  // Never run: this tests the compiler.
  const wrong = () => [
    // @ts-expect-error: the path parameter is missing
    client.getStaticExportJob({}),
    // @ts-expect-error: path is a typo of paths
    client.startStaticExportJob({ body: { domain: 'a.example', path: ['/'] } }),
    // @ts-expect-error: domain is missing
    client.startStaticExportJob({ body: {} }),
    // @ts-expect-error: limit is a number
    client.getUniqueVisitors({ params: { path: { projectId: 'p' }, query: { limit: '50' } } }),
    // @ts-expect-error: the answers of this operation are JSON only
    client.getStaticExportJob({ params: { path: { jobId: 'se_1' } }, parseAs: 'text' }),
    // @ts-expect-error: apiKey is missing
    createClient({ baseUrl }),
  ]
  expect(wrong).toBeTypeOf('function')
})
