import { readFileSync } from 'node:fs'
import { get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixtures } from '../../generated/fixtures.ts'
import type { Handlers } from '../../generated/operations.ts'
import { createFetchHandler } from '../../server/http/fetch-handler.ts'
import { HttpError } from '../../server/http/http-error.ts'
import { mount } from '../../server/http/mount-handlers.ts'
import { createClient } from '../../spec/package/client/index.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'))
const job = fixtures.getStaticExportJob.responses[200]['application/json'].running

async function* csv() {
  yield new TextEncoder().encode('path,human,ai,total\r\n')
  yield new TextEncoder().encode('/,1,0,1\r\n')
}

/** Handlers that answer what they got. */
const handlers: Handlers<undefined, string> = {
  getAgentJob: ({ params }) => ({ status: 404, body: { error: JSON.stringify(params) } }),
  getUniqueVisitors: ({ params, query, mediaType }) =>
    mediaType === 'text/csv'
      ? {
          status: 200,
          mediaType,
          headers: { 'Visitor-Totals': 'human=1, ai=0, total=1', ETag: 'W/"one"' },
          body: csv(),
        }
      : { status: 404, body: { error: JSON.stringify([params, query]), details: [] } },
  startStaticExportJob: ({ body, headers }, _deps, caller) => ({
    status: 202,
    headers: { Location: '/v1/static-export/jobs/se_1' },
    body: { ...job, error: JSON.stringify([body, headers['idempotency-key'], caller]) },
  }),
  getStaticExportJob: () => ({ status: 200, body: job }),
  generateStaticExportBundle: () => {
    throw new Error('a secret of the server')
  },
}
const authorize = (authorization: string | null | undefined): string => {
  if (authorization !== 'Bearer good')
    throw new HttpError(401, 'invalid_api_key', 'Send a key.', { 'WWW-Authenticate': 'Bearer' })
  return 'team'
}
const etags = { getUniqueVisitors: async () => 'W/"one"' }
const spent = new HttpError(429, 'rate_limited', 'Spent.', { 'Retry-After': '36' })

let server: Server
let answer: (request: Request) => Promise<Response>
let origin: string
const errors: unknown[] = []
beforeAll(async () => {
  const app = express()
  await mount(app, {
    document,
    handlers,
    etags,
    admission: {
      authorize: (_route, req) => authorize(req.headers.authorization),
      spend: (_route, _caller, res) => {
        if (res.req.headers['x-spent'] !== undefined) throw spent
      },
    },
    bodyLimitBytes: 1000,
    otherPaths: 'refuse',
  })
  server = app.listen(0, '127.0.0.1')
  await new Promise(done => server.once('listening', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  answer = await createFetchHandler<undefined, string>({
    document,
    handlers,
    etags,
    deps: undefined,
    admission: {
      authorize: (_route, request) => {
        const caller = authorize(request.headers.get('Authorization'))
        if (request.headers.has('X-Spent')) throw spent
        return caller
      },
    },
    bodyLimitBytes: 1000,
    onError: error => errors.push(error),
  })
})
afterAll(() => new Promise(done => server.close(done)))

/** Without Cache-Control, `fetch` adds `no-cache`. */
const known = (tags: string) => ({ 'If-None-Match': tags, 'Cache-Control': 'max-age=0' })
const json = { 'Content-Type': 'application/json' }
const start = (body: unknown, headers: Record<string, string> = json): RequestInit => ({
  method: 'POST',
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

test.each<[path: string, init?: RequestInit]>([
  ['/v2/agent/p/job/j'],
  ['/v2/agent/a%2Fb%3F/job/%C3%A9'],
  ['/v2/agent/%/job/j'],
  ['/v2/agent/p/job/j?x=1'],
  ['/v2/agent/p/job/j', { headers: { Authorization: 'Bearer bad' } }],
  ['/v2/agent/p/job/j', { headers: { 'X-Spent': 'yes' } }],
  ['/v1/analytics/p/visitors'],
  ['/v1/analytics/p/visitors?limit=7&offset=14&dateFrom=2026-11-01'],
  ['/v1/analytics/p/visitors?dateTo=2026-11-20T10%3A11%3A12.123456%2B00%3A00'],
  ['/v1/analytics/p/visitors?limit=251'],
  ['/v1/analytics/p/visitors?limit=0x10&offset=-1'],
  ['/v1/analytics/p/visitors?limit=1&limit=2'],
  ['/v1/analytics/p/visitors?limit='],
  ['/v1/analytics/p/visitors?limt=5'],
  ['/v1/analytics/p/visitors', { headers: { Accept: 'text/csv' } }],
  ['/v1/analytics/p/visitors?limit=5', { headers: { Accept: 'text/csv' } }],
  ['/v1/analytics/p/visitors', { headers: { 'X-Spent': 'yes' } }],
  ['/v1/analytics/p/visitors', { headers: json }],
  ['/v1/analytics/p/visitors', { headers: { Accept: 'text/csv', ...known('W/"one"') } }],
  ['/v1/analytics/p/visitors', { headers: { Accept: 'text/csv', ...known('"other", "one"') } }],
  ['/v1/analytics/p/visitors', { headers: { Accept: 'text/csv', ...known('"other"') } }],
  ['/v1/analytics/p/visitors', { headers: { Accept: 'text/csv', ...known('*') } }],
  ['/v1/analytics/p/visitors', { headers: { ...known('*'), 'Cache-Control': 'no-cache' } }],
  ['/v1/analytics/p/visitors?limit=0', { headers: known('*') }],
  ['/v1/analytics/%/visitors', { headers: known('*') }],
  ['/v1/static-export/jobs', start({ domain: 'docs.example.com' })],
  ['/v1/static-export/jobs', start({ domain: 'docs.example.com' }, { ...json, 'Idempotency-Key': 'release-1' })],
  ['/v1/static-export/jobs', start({ domain: 'docs.example.com' }, { ...json, 'Idempotency-Key': 'a b' })],
  ['/v1/static-export/jobs', start({ domain: 'https://docs.example.com' })],
  ['/v1/static-export/jobs', start({ domian: 'docs.example.com' })],
  ['/v1/static-export/jobs', start([])],
  ['/v1/static-export/jobs', start('null')],
  ['/v1/static-export/jobs', start('')],
  ['/v1/static-export/jobs', start('{"domain":')],
  ['/v1/static-export/jobs', start({ domain: 'a'.repeat(2000) })],
  ['/v1/static-export/jobs', start('domain=a', { 'Content-Type': 'application/x-www-form-urlencoded' })],
  ['/v1/static-export/jobs', start({}, { 'Content-Type': 'application/json; charset=latin1' })],
  ['/v1/static-export/jobs', start({}, { ...json, 'Content-Encoding': 'zstd-9' })],
  ['/v1/static-export/jobs/se_1'],
  ['/v1/static-export/jobs/se_1', { method: 'HEAD' }],
  ['/v1/static-export/jobs/se_1/bundle', { method: 'POST' }],
  ['/v1/static-export/jobs/se_1/bundle', { method: 'HEAD' }],
  ['/v1/static-export/jobs', { method: 'DELETE' }],
  ['/v1/static-export/jobs', { method: 'OPTIONS' }],
  ['/v1/analytics/p/visitors?limit=x', start({})],
  ['/v1/analytics/p/unknown'],
  ['/v2/agent'],
  ['/v3/unknown', { method: 'PUT' }],
  ['/'],
])('answers %s %j as Express does', async (path, init = {}) => {
  const headers = { Authorization: 'Bearer good', 'X-Request-Id': 'req-1', ...init.headers }
  const viaExpress = await fetch(`${origin}${path}`, { ...init, headers })
  const viaFetch = await answer(new Request(`${origin}${path}`, { ...init, headers }))
  const shown = [
    'Content-Type',
    'X-Request-Id',
    'Allow',
    'WWW-Authenticate',
    'Retry-After',
    'Location',
    'Visitor-Totals',
    'ETag',
    'Cache-Control',
    'Vary',
  ]
  const describe = async (response: Response) => ({
    status: response.status,
    headers: shown.map(name => `${name}: ${response.headers.get(name)}`),
    body: await response.text(),
  })
  expect(await describe(viaFetch)).toEqual(await describe(viaExpress))
})

test.each([
  ['/v1/static-export/jobs/se_1', ['Bearer good', 'Bearer bad']],
  ['/v1/analytics/p/visitors', ['Bearer good', 'Bearer good']],
  ['/v2/agent/p/job/j', ['Basic YTpi', 'Bearer good']],
])('%s with two Authorization headers is a 400, as in Express', async (path, values) => {
  const url = new URL(path, origin)
  const request = new Request(url)
  for (const value of values) request.headers.append('Authorization', value)
  const viaFetch = await answer(request)
  const raw = ['Host', url.host, ...values.flatMap(value => ['Authorization', value])]
  const viaExpress = await new Promise<IncomingMessage>(done => get(url, { headers: raw }, done))
  const refusal = await viaFetch.json()
  expect(refusal.error).toBe('The request has more than one Authorization header. Send exactly one.')
  expect([viaExpress.statusCode, JSON.parse(await text(viaExpress))]).toEqual([
    400,
    { ...refusal, requestId: viaExpress.headers['x-request-id'] },
  ])
  expect(viaFetch.status).toBe(400)
})

test('commas in another scheme of Authorization are left to the admission', async () => {
  const headers = { Authorization: 'Digest username="a", realm="b"' }
  expect((await answer(new Request(`${origin}/v2/agent/p/job/j`, { headers }))).status).toBe(401)
})

test('a path and a method that are not in the document are JSON errors', async () => {
  const unknown = await answer(new Request(`${origin}/v3/unknown`))
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    { error: expect.stringContaining('nothing at this path'), code: 'unknown_path', requestId: expect.any(String) },
  ])
  const wrong = await answer(new Request(`${origin}/v1/static-export/jobs`, { method: 'DELETE' }))
  expect([wrong.status, wrong.headers.get('Allow')]).toEqual([405, 'POST'])
})

test('an error of a handler is reported, and its text stays on the server', async () => {
  const headers = { Authorization: 'Bearer good' }
  const before = errors.length
  const refused = await answer(new Request(`${origin}/v1/static-export/jobs/se_1/bundle`, { method: 'POST', headers }))
  expect(await refused.text()).not.toContain('secret')
  expect(errors.slice(before)).toEqual([new Error('a secret of the server')])
})

test('the client works with it, without a server', async () => {
  const quire = createClient({ baseUrl: 'http://quire.test', apiKey: 'good', fetch: request => answer(request) })
  const found = await quire.getStaticExportJob({ params: { path: { jobId: 'se_1' } } })
  expect(found.status === 200 && found.data).toEqual(job)
})
