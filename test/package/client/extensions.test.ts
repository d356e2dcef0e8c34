import { gzipSync } from 'node:zlib'
import { expect, expectTypeOf, test } from 'vitest'
import {
  type ClientOptions,
  createExtensionsClient,
  type Data,
  eachPage,
  QuireError,
  type Result,
} from '../../../spec/package/client/extensions.ts'
import { useExtensionsServer } from '../../support/extensions-server.ts'

// The client of the second document, against the server itself.

const started = useExtensionsServer()
const open = (options: Partial<ClientOptions> = {}) =>
  createExtensionsClient({ baseUrl: started.server.url, apiKey: started.keys.all, ...options })
const source = { repository: 'https://github.com/acme/docs' }
const report = { status: 'active', source, model: 'writer-2' } as const
const line =
  '192.0.2.7 - - [20/Nov/2026:10:00:00 +0000] "GET /start HTTP/1.1" 200 900 "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"'

test('a reported job is 201, and the same report again is 200', async () => {
  const path = { projectId: started.projectId, id: 'run-1' }
  const first = await open().reportAgentJob({ params: { path }, body: report })
  expect(first).toMatchObject({ status: 201, data: { id: 'run-1', status: 'active' } })
  expect(await open().reportAgentJob({ params: { path }, body: report })).toMatchObject({ status: 200 })
})

test('a refusal that the document lists is returned, with its request id', async () => {
  const answer = await open().deleteExport({ params: { path: { jobId: 'se_0000000000000000' } } })
  expect(answer).toMatchObject({ status: 404, error: { code: 'unknown_export_job' } })
  expect(answer.requestId).toMatch(/./)
})

test('an unlisted answer, or none, throws without the key', async () => {
  const apiKey = 'quire_4f7dSecretOfTheTest'
  const fetch = async () => Response.json({ error: `Bearer ${apiKey}` }, { status: 418 })
  const error = await open({ apiKey, fetch })
    .listWebhooks()
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(QuireError)
  expect(error).toMatchObject({ operation: 'listWebhooks', status: 418, body: { error: 'Bearer [API key]' } })
})

test('log lines are sent as text, and packed lines as bytes', async () => {
  const params = { path: { projectId: await started.addProject() } }
  expect(await open().sendVisits({ params, body: `${line}\n` })).toMatchObject({ status: 200, data: { counted: 1 } })
  const body = gzipSync(`${line.replace('/start', '/next')}\n`)
  const packed = await open().sendVisits({ params, body, headers: { 'Content-Encoding': 'gzip' } })
  expect(packed).toMatchObject({ status: 200, data: { counted: 1 } })
})

test('a batch has the Content-Type text/plain, or the one that is given', async () => {
  const types: (string | null)[] = []
  const fetch = async (request: Request) => {
    types.push(request.headers.get('Content-Type'))
    return Response.json({}, { status: request.url.endsWith('webhooks') ? 201 : 200 })
  }
  await open({ fetch }).sendVisitsByHost({ body: new Blob([line]) })
  await open({ fetch }).sendVisitsByHost({ body: '{}', headers: { 'content-type': 'application/x-ndjson' } })
  await open({ fetch }).createWebhook({ body: { url: 'https://hooks.example.com/', events: ['export.completed'] } })
  expect(types).toEqual(['text/plain', 'application/x-ndjson', 'application/json'])
})

test.each([
  { call: 'reportAgentJob', times: 2 },
  { call: 'deleteWebhook', times: 2 },
  { call: 'listExports', times: 2 },
  { call: 'createWebhook', times: 1 },
  { call: 'sendTestEvent', times: 1 },
  { call: 'sendVisits', times: 2 },
  { call: 'sendVisitsByHost', times: 2 },
] as const)('$call is sent $times times to a server that is busy for a moment', async ({ call, times }) => {
  let count = 0
  const fetch = async () => {
    count++
    const busy = { status: 503, headers: { 'Retry-After': '0' } }
    return count === 1 ? Response.json({ error: 'busy' }, busy) : Response.json({})
  }
  const params = { path: { projectId: 'p', id: 'i', webhookId: 'w' } }
  const body = call === 'listExports' ? {} : { body: {} }
  await (open({ fetch })[call] as (options: object) => Promise<unknown>)({ params, ...body })
  expect(count).toBe(times)
})

test.each<{ given: string; lose: (request: Request) => Promise<Response> }>([
  {
    given: 'lost',
    lose: async request => {
      await (await fetch(request)).arrayBuffer()
      throw new TypeError('fetch failed')
    },
  },
  {
    given: 'a 503',
    lose: async () => Response.json({ error: 'busy' }, { status: 503, headers: { 'Retry-After': '0' } }),
  },
])('packed lines whose answer was $given are sent again as they were, and count once', async ({ lose }) => {
  const sent: { encoding: string | null; bytes: Buffer }[] = []
  const fetchOnce = async (request: Request) => {
    const bytes = Buffer.from(await request.clone().arrayBuffer())
    sent.push({ encoding: request.headers.get('Content-Encoding'), bytes })
    return sent.length === 1 ? lose(request) : fetch(request)
  }
  const projectId = await started.addProject()
  const body = gzipSync(`${line}\n`)
  const options = { params: { path: { projectId } }, body, headers: { 'Content-Encoding': 'gzip' } }
  expect(await open({ fetch: fetchOnce }).sendVisits(options)).toMatchObject({ status: 200 })
  expect(sent).toEqual(Array(2).fill({ encoding: 'gzip', bytes: body }))
  const visitors = await started.ask('GET', `/v1/analytics/${projectId}/visitors`)
  expect(visitors.json).toMatchObject({ totals: { human: 1, total: 1 }, visitors: [{ path: '/start', total: 1 }] })
})

test('the pages of a list have each row once', async () => {
  const projectId = await started.addProject()
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    await open().reportAgentJob({ params: { path: { projectId, id } }, body: report })
  }
  const params = { path: { projectId }, query: { limit: 2 } }
  const pages: string[][] = []
  for await (const { jobs } of eachPage(open(), 'listAgentJobs', { params })) pages.push(jobs.map(({ id }) => id))
  expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
  expect(pages.flat().sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('pages without options are those of the organization, and a refusal throws', async () => {
  const pages: Data<'listExports'>[] = []
  for await (const page of eachPage(open(), 'listExports')) pages.push(page)
  expect(pages).toEqual([{ exports: [], nextCursor: null }])
  const params = { path: { webhookId: 'wh_0000000000000000' } }
  await expect(eachPage(open(), 'listDeliveries', { params }).next()).rejects.toMatchObject({ status: 404 })
})

test('a server that repeats a cursor ends the pages', async () => {
  const fetch = async () => Response.json({ exports: [], nextCursor: 'again' })
  const pages = eachPage(open({ fetch }), 'listExports')
  await pages.next()
  await pages.next()
  await expect(pages.next()).rejects.toThrow('listExports: the server answers the same cursor again.')
})

test('the status decides the type, and the compiler refuses what the document does not have', () => {
  // Never called: this tests the compiler.
  const narrow = (r: Result<'createWebhook'>, quire: ReturnType<typeof open>) => {
    if (r.status === 201) expectTypeOf(r.data.secret).toEqualTypeOf<string>()
    // @ts-expect-error: the document lists no 418
    if (r.status === 418) return
    const params = { path: { projectId: 'p' } }
    return [
      // @ts-expect-error: the lines are missing
      quire.sendVisits({ params }),
      // @ts-expect-error: lines are a text or bytes
      quire.sendVisits({ params, body: { lines: [] } }),
      // @ts-expect-error: the project is missing
      eachPage(quire, 'listAgentJobs'),
      // @ts-expect-error: this list has one page
      eachPage(quire, 'listWebhooks'),
    ]
  }
  expect(narrow).toBeTypeOf('function')
})
