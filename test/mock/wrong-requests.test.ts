import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningMock, sendToMock, startMock } from './running-mock.ts'

let mock: RunningMock
let url: string
beforeAll(async () => {
  mock = await startMock()
  url = mock.url
})
afterAll(() => mock.end('SIGINT'))

const json = { 'Content-Type': 'application/json' }
const jobs = '/v1/static-export/jobs'
const visitors = '/v1/analytics/p/visitors'

/** Sends bytes, and returns the answer when the mock closes the connection or the answer is complete. */
function sendBytes(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', chunk => {
      text += chunk
      if (text.endsWith('}')) socket.end()
    })
    socket.on('close', () => resolve(text))
    socket.on('error', error => (text === '' ? reject(error) : undefined))
  })
}

interface Mistake {
  given: string
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
  status: number
  error: RegExp
}

const mistakes: Mistake[] = [
  {
    given: 'malformed JSON',
    method: 'POST',
    path: jobs,
    headers: json,
    body: '{"domain',
    status: 400,
    error: /not valid JSON/,
  },
  {
    given: 'no body',
    method: 'POST',
    path: jobs,
    status: 400,
    error: /^The request body must be a JSON object\. Example: /,
  },
  {
    given: 'a body without its field',
    method: 'POST',
    path: jobs,
    headers: json,
    body: '{}',
    status: 400,
    error: /^domain is missing\. Example: docs\.example\.com$/,
  },
  {
    given: 'a path that is named twice',
    method: 'POST',
    path: jobs,
    headers: json,
    body: '{"domain":"a.example","paths":["/a","/a"]}',
    status: 400,
    error: /^paths\[1\] repeats paths\[0\]\. paths must be a list of up to 1000 different values\. /,
  },
  {
    given: 'an invalid Idempotency-Key',
    method: 'POST',
    path: jobs,
    headers: { ...json, 'Idempotency-Key': 'a b' },
    body: '{"domain":"a.example"}',
    status: 400,
    error: /^Idempotency-Key must be text of visible ASCII characters, without spaces /,
  },
  {
    given: 'a field without a name',
    method: 'POST',
    path: jobs,
    headers: json,
    body: '{"domain":"a.example","":1}',
    status: 400,
    error: /^The request body has a field without a name\. Leave it out\.$/,
  },
  {
    given: 'an unknown field',
    method: 'POST',
    path: jobs,
    headers: json,
    body: '{"domain":"a.example","path":[]}',
    status: 400,
    error: /^path is not a field of this operation\. Did you mean paths\? Known here: domain, /,
  },
  {
    given: 'a domain with a scheme',
    method: 'POST',
    path: jobs,
    headers: json,
    body: '{"domain":"https://a"}',
    status: 400,
    error: /^domain must be a bare host name, .*\. Example: docs\.example\.com$/,
  },
  {
    given: 'a body over 1 MiB',
    method: 'POST',
    path: jobs,
    headers: json,
    body: ' '.repeat(2 ** 20 + 1),
    status: 413,
    error: /too large/,
  },
  {
    given: 'another content type',
    method: 'POST',
    path: jobs,
    headers: { 'Content-Type': 'text/plain' },
    body: '{}',
    status: 415,
    error: /JSON/,
  },
  {
    given: 'an invalid content type',
    method: 'POST',
    path: jobs,
    headers: { 'Content-Type': ';;' },
    body: '{}',
    status: 415,
    error: /JSON/,
  },
  {
    given: 'limit 251',
    path: `${visitors}?limit=251`,
    status: 400,
    error: /^limit must be a whole number from 1 to 250\. /,
  },
  {
    given: 'an invalid date',
    path: `${visitors}?dateFrom=yesterday`,
    status: 400,
    error: /^dateFrom must be a date \(YYYY-MM-DD\), or /,
  },
  {
    given: 'an unknown query parameter',
    path: `${visitors}?page=2`,
    status: 400,
    error: /page is not a query parameter/,
  },
  { given: 'a stray percent sign', path: '/v1/analytics/%/visitors', status: 400, error: /%25/ },
  {
    given: 'a stray percent sign and no key',
    path: '/v1/analytics/%/visitors',
    headers: { Authorization: '' },
    status: 401,
    error: /API key/,
  },
  {
    given: 'malformed JSON and no key',
    method: 'POST',
    path: jobs,
    headers: { ...json, Authorization: '' },
    body: '{',
    status: 401,
    error: /API key/,
  },
  { given: 'an unknown path', path: '/v3/nothing', status: 404, error: /nothing at this path/ },
  { given: 'a path without a host', path: '//[/', status: 404, error: /nothing at this path/ },
  { given: 'a wrong method', method: 'DELETE', path: jobs, status: 405, error: /accepts only POST/ },
  {
    given: 'an unknown example',
    path: `${jobs}/a`,
    headers: { Prefer: 'example=none' },
    status: 404,
    error: /none/,
  },
]

describe('wrong requests are answered as in the contract', () => {
  test.each(mistakes)('$given: $status', async ({ method = 'GET', path, headers, body, status, error }) => {
    const answer = await sendToMock(url, method, path, headers, body)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({
      error: expect.stringMatching(error),
      code: expect.stringMatching(/^[a-z_]+$/),
      requestId: expect.any(String),
      ...(path.startsWith('/v1/analytics') && { details: expect.any(Array) }),
    })
  })

  test.each([
    [
      'two Host headers',
      'GET /v1/static-export/jobs/a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      400,
      /more than one Host header/,
    ],
    [
      'two Authorization headers',
      'GET /v1/static-export/jobs/a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
      400,
      /more than one Authorization header/,
    ],
    ['no Host header', 'GET /v1/static-export/jobs/a HTTP/1.1\r\n\r\n', 400, /has no Host header\./],
    ['bytes that are no request', 'hello\r\n\r\n', 400, /not a valid HTTP request/],
    ['a header that is too long', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, 431, /too long/],
  ])('%s', async (_, bytes, status, error) => {
    const text = await sendBytes(bytes)
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(text).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/im)
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ error: expect.stringMatching(error) })
  })

  test('still answers afterwards', async () => {
    expect(await sendToMock(url, 'GET', `${jobs}/a`)).toMatchObject({ status: 200 })
  })
})
