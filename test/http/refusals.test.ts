import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { sendRaw } from '../support/raw-request.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let authorization: string
beforeAll(async () => {
  server = await startTestServer()
  const { organizationId } = await createOrganization(server.store)
  authorization = `Authorization: Bearer ${(await createApiKey(server.store, organizationId)).key}\r\n`
})
afterAll(() => server.dispose())

const host = 'Host: api.example.com\r\n'
const end = 'Connection: close\r\n\r\n'

test.each([
  ['two Host headers', `GET /healthz HTTP/1.1\r\n${host}Host: other.example.com\r\n${end}`, 400, /one Host header/],
  [
    'the same Host header twice',
    `GET /healthz HTTP/1.1\r\n${host}host: api.example.com\r\n${end}`,
    400,
    /more than one Host header/,
  ],
  ['no Host header', `GET /healthz HTTP/1.1\r\n${end}`, 400, /no Host header\./],
  ['a Host that is none', `GET /healthz HTTP/1.1\r\nHost: a b\r\n${end}`, 400, /Host/],
  ['a Host with a path', `GET /healthz HTTP/1.1\r\nHost: a/b\r\n${end}`, 400, /Host/],
  ['an unknown expectation', `GET /healthz HTTP/1.1\r\n${host}Expect: miracles\r\n${end}`, 417, /Expect/],
  ['HTTP/2.0 in the request line', `GET /healthz HTTP/2.0\r\n${host}${end}`, 505, /HTTP\/1\.1/],
  ['CONNECT', `CONNECT api.example.com:443 HTTP/1.1\r\n${host}\r\n`, 405, /CONNECT/],
  ['a method that does not exist', `FETCH /healthz HTTP/1.1\r\n${host}${end}`, 400, /not a valid HTTP request/],
  ['bytes that are not HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, /not a valid HTTP request/],
  ['a header without a name', `GET / HTTP/1.1\r\n: a\r\n${end}`, 400, /not a valid HTTP request/],
  ['a header with a NUL', `GET / HTTP/1.1\r\nHost: a\0b\r\n${end}`, 400, /not a valid HTTP request/],
  [
    'Content-Length and Transfer-Encoding',
    `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n${end}`,
    400,
    /not a valid HTTP request/,
  ],
  ['a header of 16 KB', `GET / HTTP/1.1\r\n${host}X-A: ${'a'.repeat(16_384)}\r\n${end}`, 431, /too long/],
  ['a path of 16 KB', `GET /${'%2e%2e/'.repeat(2400)} HTTP/1.1\r\n${host}${end}`, 431, /too long/],
  ['101 headers', `GET / HTTP/1.1\r\n${host}${'X-A: a\r\n'.repeat(99)}${end}`, 431, /more than 100 headers/],
  ['1,000 headers', `GET / HTTP/1.1\r\n${host}${'a:\r\n'.repeat(1000)}${end}`, 431, /more than 100 headers\./],
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Range', 'If-Range'].map(
    (name): [string, string, number, RegExp] => [
      `${name} twice`,
      `GET /healthz HTTP/1.1\r\n${host}${name}: a\r\n${name.toLowerCase()}: a\r\n${end}`,
      400,
      new RegExp(`more than one ${name} header`),
    ],
  ),
  ['an unknown path', `GET /nothing HTTP/1.1\r\n${host}${end}`, 404, /nothing at this path/],
  ['OPTIONS outside the API', `OPTIONS /healthz HTTP/1.1\r\n${host}${end}`, 404, /nothing at this path/],
  ['OPTIONS of an operation', `OPTIONS /v1/static-export/jobs HTTP/1.1\r\n${host}${end}`, 405, /accepts only POST/],
  ['TRACE', `TRACE / HTTP/1.1\r\n${host}${end}`, 404, /nothing at this path/],
])('%s is refused with the JSON body and a request id', async (_, bytes, status, error) => {
  const answer = await sendRaw(server.url, bytes)
  expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
    status,
    type: 'application/json; charset=utf-8',
  })
  const requestId = answer.headers['x-request-id']
  const code = expect.stringMatching(/^[a-z_]+$/)
  expect(JSON.parse(answer.body)).toEqual({ error: expect.stringMatching(error), code, requestId })
  expect(requestId).toMatch(/^[\w-]{36}$/)
  await waitFor(async () => server.logged.find(line => line.requestId === requestId && line.status === status))
})

test.each(['GET /v1/static-export/jobs/x', 'POST /v1/static-export/jobs', 'GET /v2/agent/x/job/x'])(
  '%s with two Authorization headers is a 400, also if one has a valid key',
  async line => {
    for (const lines of [
      `${authorization}Authorization: Bearer x\r\n`,
      `Authorization: Bearer x\r\n${authorization}`,
    ]) {
      const answer = await sendRaw(server.url, `${line} HTTP/1.1\r\n${host}${lines}${end}`)
      const error = 'The request has more than one Authorization header. Send exactly one.'
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([400, { error, code: 'repeated_header' }])
    }
  },
)

test('the refusal of two Authorization headers has the error body of the operation', async () => {
  const bytes = `GET /v1/analytics/x/visitors HTTP/1.1\r\n${host}${authorization}${authorization}${end}`
  const error = 'The request has more than one Authorization header. Send exactly one.'
  expect(JSON.parse((await sendRaw(server.url, bytes)).body)).toMatchObject({ error, details: [{ message: error }] })
})

test('100 headers, lists in two parts, and cookies in two headers are read', async () => {
  const lists =
    'Accept: text/*\r\nAccept: */*\r\nIf-None-Match: "a"\r\nIf-None-Match: "b"\r\nCookie: a=1\r\nCookie: b=2\r\n'
  const bytes = `GET /healthz HTTP/1.1\r\n${host}${lists}${'X-A: a\r\n'.repeat(92)}${end}`
  expect(await sendRaw(server.url, bytes)).toMatchObject({ status: 200 })
})

test('the connection of a refused request is closed, also if the client goes on sending', async () => {
  const { port, hostname } = new URL(server.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  const closed = new Promise(done => socket.on('close', done).on('error', () => undefined))
  socket.resume().write(`GET / HTTP/1.1\r\n${host}X-A: `)
  const sending = setInterval(() => socket.write('a'.repeat(8192)), 20)
  await closed
  clearInterval(sending)
})

test('no refusal is logged as an error of the server', () => {
  expect(server.logged.filter(line => Number(line.level) >= 50)).toEqual([])
})

test.each([
  ['without a version', 'GET /healthz\r\n\r\n'],
  ['with a version', `GET /healthz HTTP/0.9\r\n${host}\r\n`],
])('HTTP/0.9 %s is not answered', async (_, bytes) => {
  expect((await sendRaw(server.url, bytes)).bytes).toBe('')
})

test('HTTP/1.0 needs no Host header', async () => {
  expect(await sendRaw(server.url, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatchObject({ status: 200 })
})

test.each(['websocket', 'h2c'])('Upgrade: %s is ignored, and the request answered', async protocol => {
  const bytes = `GET /healthz HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`
  expect(await sendRaw(server.url, bytes, 500)).toMatchObject({ status: 200, body: '{"status":"ok"}' })
})

test('Expect: 100-continue is served', async () => {
  const bytes = `GET /v1/static-export/jobs/x HTTP/1.1\r\n${host}${authorization}Expect: 100-continue\r\n${end}`
  expect((await sendRaw(server.url, bytes)).bytes).toContain('HTTP/1.1 404 ')
})

test('bytes that are no request, sent while an answer is on its way, do not get into the answer', async () => {
  const bytes = `GET /openapi.yaml HTTP/1.1\r\n${host}\r\n\x00garbage\r\n\r\n`
  const answer = await sendRaw(server.url, bytes)
  expect(answer.body).not.toContain('not a valid HTTP request')
})

describe('without a valid key the answer is 401', () => {
  test.each([
    ['GET', '/v2/agent/%ZZ/job/x'],
    ['GET', '/v1/analytics/%E0%A4%A/visitors'],
    ['GET', '/v1/static-export/jobs/%'],
    ['POST', '/v1/static-export/jobs/%C3%28/bundle'],
    ['GET', '/v1/analytics/a/visitors?limit=x'],
  ])('%s %s', async (method, path) => {
    for (const headers of [{}, { Authorization: 'Bearer nonsense' }]) {
      const answer = await send(server.url, path, { method, headers })
      expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
      expect(answer.json.error).toContain('API key')
    }
  })

  test('for a malformed body too', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body: '{' })
    expect(answer.status).toBe(401)
  })
})

test('with a valid key, a malformed id is a 400', async () => {
  const headers = { Authorization: authorization.slice('Authorization: '.length).trim() }
  for (const path of ['/v2/agent/%ZZ/job/x', '/v1/static-export/jobs/%']) {
    const answer = await send(server.url, path, { headers })
    expect({ status: answer.status, error: answer.json.error }).toEqual({
      status: 400,
      error: expect.stringContaining('percent'),
    })
  }
})
