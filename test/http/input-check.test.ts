import { readFileSync } from 'node:fs'
import { Agent, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Handlers, type Route, routes } from '../../generated/operations.ts'
import { requests } from '../../generated/requests.ts'
import { createFetchHandler } from '../../server/http/fetch-handler.ts'
import { HttpError } from '../../server/http/http-error.ts'
import { createInputCheck } from '../../server/http/input-check.ts'
import { mount } from '../../server/http/mount-handlers.ts'
import { makeInvalidRequest } from '../../spec/package/conformance/generate/invalid-requests.ts'
import { makeValidRequest } from '../../spec/package/conformance/generate/valid-requests.ts'
import { type Operation, readOperations } from '../../spec/package/conformance/operations.ts'
import { createRandom, type Random } from '../../spec/package/conformance/random.ts'
import type { Session } from '../../spec/package/conformance/session.ts'
import { fillSettings } from '../../spec/package/conformance/settings.ts'
import { send } from '../support/client.ts'
import { seed } from '../support/random.ts'

const count = process.env.QUIRE_TEST_LONG === '1' ? 20_000 : 2000
const atOnce = 16

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'))
const operations: Operation[] = Object.values(readOperations(document))
const session = {
  settings: fillSettings({ url: 'http://quire.test', key: 'good' }),
  known: { project: true, agentJob: true, domain: true, exportJob: undefined },
  nonce: 'equal',
  extensions: [],
} as unknown as Session

/** Handlers that answer what they got. */
const handlers = Object.fromEntries(
  routes.map(({ operationId }) => [
    operationId,
    ({ params, query, headers, body, mediaType }: { [part: string]: { [name: string]: unknown } | undefined }) => ({
      status: 200,
      body: { params, query, key: headers?.['idempotency-key'], body, mediaType },
    }),
  ]),
) as unknown as Handlers<undefined, undefined>

const shared = {
  handlers,
  etags: { getUniqueVisitors: async () => 'W/"one"' },
  bodyLimitBytes: 4096,
  onError: (error: unknown) => expect.soft(error).toBe('no fault'),
}

function authorize(authorization: string | null | undefined): undefined {
  if (authorization !== 'Bearer good')
    throw new HttpError(401, 'invalid_api_key', 'Send a key.', { 'WWW-Authenticate': 'Bearer' })
}

/** Requests with the document, and with the part of it that the mock has. */
const answers = await Promise.all(
  [document, requests].map(described =>
    createFetchHandler<undefined, undefined>({
      ...shared,
      document: described,
      deps: undefined,
      admission: { authorize: (_route, { headers }) => authorize(headers.get('Authorization')) },
    }),
  ),
)

const agent = new Agent({ keepAlive: true })
let server: Server
let origin: string
beforeAll(async () => {
  const app = express()
  const admission = { authorize: (_: Route, { headers }: express.Request) => authorize(headers.authorization) }
  await mount(app, { ...shared, document, admission, otherPaths: 'refuse' })
  server = app.listen(0, '127.0.0.1')
  await new Promise(done => server.once('listening', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  agent.destroy()
  return new Promise(done => server.close(done))
})

interface Sent {
  method: string
  target: string
  headers: Record<string, string>
  body: Buffer | undefined
}

/**
 * Makes a request that the Fetch API can express: a GET has no body, a path no dot segments, and no header occurs twice. Half of
 * them match the document, before some are changed.
 */
function makeRequest(random: Random, operation: Operation): Sent {
  const { ask } = (random.chance(0.5) ? makeValidRequest : makeInvalidRequest)(random, session, operation)
  const { body, query = '', path = {}, headers } = ask
  const target = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => path[name] ?? 'id_1')
  const sent: Sent = {
    method: operation.method,
    target: query === '' ? target : `${target}?${query}`,
    headers: { Authorization: 'Bearer good', ...(body !== undefined && json), ...headers },
    body: body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  }
  while (random.chance(0.4)) random.pick(changes)(random, sent)
  if (sent.method === 'GET' || sent.method === 'HEAD') sent.body = undefined
  const { pathname, search } = new URL(origin + sent.target)
  return { ...sent, target: pathname + search }
}

const json = { 'Content-Type': 'application/json' }
const pathParts = '/ // % %2F %00 %ff %C3%A9 %2e . .. /../ ? & = [] ; + : @ A é \' " | \\'.split(' ')
const queryNames =
  'limit offset dateFrom dateTo page limt LIMIT é limit[] limit[a] __proto__ toString a/b a~b ?a'.split(' ')
const queryValues = [
  ...['', '5', '250', '251', '0', '-1', '-0', '007', '1e2', '0x10', '9'.repeat(30), '9'.repeat(400), ' 5', 'a'],
  ...['2026-11-20', '2026-11-20T10:11:12.123456+00:00', '2026-11-20T10:11:12 00:00', 'yesterday', '2026-02-30'],
  ...['%', '😀', '\0'],
]
const headerValues: Record<string, readonly string[]> = {
  Authorization: ['', 'Bearer bad', 'Basic a'],
  Accept: [
    ...['text/csv', 'application/json', '*/*', 'text/*', 'text/csv;q=0.5, */*', 'application/json;q=0', 'image/png'],
    ...['TEXT/CSV', ', text/csv', 'text/csv; q=2', 'application/problem+json'],
  ],
  'Content-Type': [
    ...['', 'text/plain', 'application/json; charset=utf-8', 'application/json;charset=latin1', 'APPLICATION/JSON'],
    ...['application/json;', 'application/x-json', 'application/json; a=b'],
  ],
  'Content-Encoding': ['', 'gzip', 'identity', 'deflate', 'br', 'zip', 'deflate-raw', 'brotli', 'GZIP', 'gzip, gzip'],
  'If-None-Match': ['', '*', 'W/"one"', '"one"', '"other"', '"other", "one"', 'one'],
  'Cache-Control': ['no-cache', 'max-age=0', 'max-age=0, no-cache'],
  'Idempotency-Key': ['', 'release-1', 'a b', 'x'.repeat(255), 'x'.repeat(256), 'caf\u00e9', 'a,b', '"a"'],
  'X-Request-Id': ['', 'a b', 'req-1', 'x'.repeat(129)],
}
const bodies = [
  ...['', ' ', '{}', '[]', 'null', '"a"', '5', '{"domian":"a"}', '{"domain":null}', '{"domain":"\\ud800"}', '{"":1}'],
  ...['{"domain":"a","domain":"b"}', '{"__proto__":{"domain":"a"}}', '{"domain":"a","__proto__":1}'],
  ...['{"domain":"a","toString":1}', '{"domain":"a","":1}', '{"domain":"a","a/b":1}', '{"domain":"a","a~b":1,"c/":2}'],
  ...['{"domain":"a","paths":["/a","/b","/a"]}', '{"domain":"a","paths":[1,1]}', '{"domain":"a","paths":{"0":"/a"}}'],
  ...['{"domain":"a","features":null}', '{"domain":"a","features":[]}', '{"domain":"a","features":{"":true}}'],
  `{"domain":"a","version":"${'😀'.repeat(33)}"}`,
]
const bytes = ['"', ',', '}', ' ', '\ufeff', '\0', '1', '\\', Buffer.of(0xff), Buffer.of(0xc3), ' '.repeat(5000)]

type Change = (random: Random, sent: Sent) => void

const changeMethod: Change = (random, sent) => {
  sent.method = random.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
}
const changeTarget: Change = (random, sent) => {
  const { target } = sent
  const at = random.int(1, target.length)
  sent.target = random.pick([
    target.slice(0, at) + random.pick(pathParts) + target.slice(at),
    target.slice(0, at) + target.slice(at + 1),
    target.replace(/(?=\?|$)/, '/'),
    target.toUpperCase(),
  ])
}
const addQuery: Change = (random, sent) => {
  const [name, value] = [random.pick(queryNames), random.pick(queryValues)]
  const encoded = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  const pair = random.pick([encoded, encoded, `${name}=${value}`, name, '=5', '&', `${'&'.repeat(1001)}${encoded}`])
  sent.target += `${sent.target.includes('?') ? '&' : '?'}${pair}`
}
const addHeader: Change = (random, sent) => {
  const name = random.pick(Object.keys(headerValues))
  sent.headers[name] = random.pick(headerValues[name] ?? [])
}
const replaceBody: Change = (random, sent) => {
  sent.body = random.pick([undefined, ...bodies.map(body => Buffer.from(body))])
}
const changeBytes: Change = (random, sent) => {
  const { body } = sent
  if (!body) return
  const at = random.int(0, body.length)
  const changed = [body.subarray(0, at), Buffer.from(random.pick(bytes)), body.subarray(at + random.int(0, 1))]
  sent.body = random.pick([Buffer.concat(changed), body.subarray(0, at)])
}
const compress: Change = (random, sent) => {
  if (!sent.body) return
  const [encoding, run] = random.pick([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)
  sent.headers['Content-Encoding'] = encoding
  sent.body = run(sent.body)
}
const changes = [
  changeMethod,
  changeTarget,
  addQuery,
  addQuery,
  addHeader,
  addHeader,
  replaceBody,
  changeBytes,
  compress,
]

const shownHeaders = 'content-type x-request-id allow www-authenticate retry-after etag cache-control vary'.split(' ')

/** Writes an answer without what is random. */
function describe(status: number, header: (name: string) => unknown, text: string) {
  const headers = shownHeaders.map(name => `${name}: ${header(name) ?? ''}`.replace(/: [0-9a-f-]{36}$/, ': random'))
  const body = text === '' ? '' : JSON.parse(text)
  if (body.requestId) expect.soft(body.requestId).toBe(header('x-request-id'))
  return { status, headers, body: { ...body, requestId: undefined } }
}

async function askExpress({ method, target, headers, body }: Sent) {
  const all = body ? { ...headers, 'Content-Length': String(body.length) } : headers
  const answer = await send(origin, target, { method, headers: all, agent, ...(body && { body }) })
  return describe(answer.status, name => answer.headers[name], answer.text)
}

async function askFetch(answer: (typeof answers)[number], { target, ...init }: Sent) {
  const response = await answer(new Request(origin + target, init as RequestInit))
  return describe(response.status, name => response.headers.get(name), await response.text())
}

test(`${count} requests get the same answers as from the validator of the server`, async () => {
  const random = createRandom(seed, 'input check')
  const outcomes = new Map<string, number>()
  const statuses = new Set<number>()
  const compare = async (operation: Operation) => {
    const sent = makeRequest(random, operation)
    const wanted = await askExpress(sent)
    for (const answer of answers) {
      const got = await askFetch(answer, sent)
      if (isDeepStrictEqual(got, wanted)) continue
      const shown = { ...sent, body: sent.body?.toString() }
      expect({ sent: shown, got }).toEqual({ sent: shown, got: wanted })
    }
    const outcome = `${operation.id} ${wanted.status}`
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    statuses.add(wanted.status)
  }
  const todo = Array.from({ length: count }, (_, i) => operations[i % operations.length] as Operation)
  const work = async () => {
    for (let next = todo.pop(); next; next = todo.pop()) await compare(next)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  expect([...statuses].sort()).toEqual([200, 304, 400, 401, 404, 405, 413, 415])
  for (const { id } of operations) {
    expect(outcomes.get(`${id} 200`)).toBeGreaterThan(count / 50)
    expect(outcomes.get(`${id} 400`)).toBeGreaterThan(count / 50)
  }
})

test('a keyword that it does not know is refused at the start', () => {
  const changed = structuredClone(document)
  changed.components.schemas.StartExport.properties.version.not = { const: 'x' }
  const start = routes.find(({ hasBody }) => hasBody) as Route
  expect(() => createInputCheck(changed, start)).toThrow(/does not know not\b/)
})
