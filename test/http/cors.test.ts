import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { served } from '../../server/http/served-routes.ts'
import { type RawAnswer, send } from '../support/client.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const origin = 'https://app.example.com'
const visitors = '/v1/analytics/p/visitors'
const jobs = '/v1/static-export/jobs'

let server: TestServer
let closed: TestServer
let authorization: string
beforeAll(async () => {
  server = await startTestServer({ corsOrigin: [origin, 'http://localhost:5173'] })
  closed = await startTestServer()
  const { organizationId } = await createOrganization(server.store)
  authorization = `Bearer ${(await createApiKey(server.store, organizationId)).key}`
})
afterAll(async () => {
  await server.dispose()
  await closed.dispose()
})

const preflight = (url: string, path: string, headers: Record<string, string>) =>
  send(url, path, { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST', ...headers } })

/** All paths of both documents with their methods. */
function allPaths(): [string, string][] {
  const methods = Map.groupBy(served.routes, ({ path }) => path)
  return [...methods].map(([path, routes]) => {
    const order = ['get', 'put', 'post', 'delete'].filter(method => routes.some(route => route.method === method))
    return [path, order.join(', ').toUpperCase()]
  })
}

/** The headers of answers that the documents describe. */
function listAnswerHeaders(): string[] {
  const names: string[] = []
  for (const file of ['openapi.json', 'extensions/openapi.json']) {
    const { paths, components } = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated', file), 'utf8'))
    JSON.stringify([paths, components.responses], (key, value) => {
      if (key === 'headers') names.push(...Object.keys(value))
      return value
    })
  }
  return names
}

const corsHeaders = ({ headers }: RawAnswer) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

describe('a preflight of an allowed origin', () => {
  test.each<[string, string]>([
    ['/bundles/se_0f3c9a1b2d4e5f60/a.zip', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    ...allPaths().map(([path, methods]): [string, string] => [path.replaceAll(/\{\w+\}/g, 'a'), methods]),
  ])('%s is answered before the key is checked', async (path, methods) => {
    const answer = await preflight(server.url, path, {
      Origin: origin,
      'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
    })
    expect(answer).toMatchObject({ status: 204, text: '' })
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': expect.stringMatching(
        /Authorization, Cache-Control, Content-Encoding, Content-Type, Idempotency-Key, .*Prefer/,
      ),
      'access-control-max-age': '600',
    })
    expect(answer.headers.vary).toBe('Origin')
  })
})

test.each([
  ['an answer', 'GET', '/openapi.json', 200],
  ['a refusal without a key', 'GET', visitors, 401],
  ['an unknown path', 'GET', '/nothing', 404],
  ['a wrong method', 'DELETE', jobs, 405],
  ['a bad link', 'GET', '/bundles/se_1/a.zip', 403],
])('%s can be read by scripts of an allowed origin', async (_, method, path, status) => {
  const answer = await send(server.url, path, { method, headers: { Origin: 'http://localhost:5173' } })
  expect(answer).toMatchObject({ status, headers: { vary: 'Origin' } })
  const { 'access-control-expose-headers': exposed, ...rest } = corsHeaders(answer)
  expect(rest).toEqual({ 'access-control-allow-origin': 'http://localhost:5173' })
  // The server itself adds the last two to operations that the document calls deprecated.
  const wanted = new Set([...listAnswerHeaders(), 'Deprecation', 'Sunset'])
  const unread = ['Access-Control-Allow-Origin', 'Cache-Control', 'Vary']
  expect([...wanted].filter(name => ![...unread, ...String(exposed).split(', ')].includes(name))).toEqual([])
})

test.each([
  ['https://evil.example'],
  ['https://app.example.com.evil.example'],
  ['http://app.example.com'],
  ['https://app.example.com:8443'],
  ['HTTPS://APP.EXAMPLE.COM'],
  ['null'],
])('the origin %s is not allowed', async other => {
  const answer = await send(server.url, '/openapi.json', { headers: { Origin: other } })
  expect({ status: answer.status, cors: corsHeaders(answer), vary: answer.headers.vary }).toEqual({
    status: 200,
    cors: {},
    vary: 'Origin',
  })
  const asked = await preflight(server.url, jobs, { Origin: other })
  expect({ status: asked.status, cors: corsHeaders(asked) }).toEqual({ status: 405, cors: {} })
})

test('answers without an Origin vary by it, because a cache may show them to scripts', async () => {
  const answer = await send(server.url, visitors, { headers: { Authorization: authorization } })
  expect({ status: answer.status, cors: corsHeaders(answer), vary: answer.headers.vary }).toEqual({
    status: 404,
    cors: {},
    vary: 'Origin',
  })
})

test('no origin is allowed by default', async () => {
  const asked = await preflight(closed.url, jobs, { Origin: origin })
  expect({ status: asked.status, cors: corsHeaders(asked) }).toEqual({ status: 405, cors: {} })
  const answer = await send(closed.url, '/openapi.json', { headers: { Origin: origin } })
  expect({ cors: corsHeaders(answer), vary: answer.headers.vary }).toEqual({ cors: {}, vary: undefined })
})
