import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentedResponse, listDocumentedResponses } from '../../scripts/generate/dereference.ts'
import type { Document, Schema } from '../../scripts/generate/document.ts'
import { type RunningProgram, startProgram } from '../support/program.ts'

const root = join(import.meta.dirname, '../..')
const document = JSON.parse(readFileSync(join(root, 'generated/openapi.json'), 'utf8')) as Document
const responses = await listDocumentedResponses(document)
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

let mock: RunningProgram
let url: string
beforeAll(async () => {
  mock = startProgram(['mock/main.ts', '--port', '0', '--quiet'])
  url = await mock.read(output => /Listening on (\S+)/.exec(output)?.[1])
})
afterAll(() => mock.end('SIGINT'))

/** Requests a documented response with the examples of the document and this Prefer header. */
async function ask(given: DocumentedResponse, prefer: string): Promise<Response> {
  const path = given.parameters
    .filter(parameter => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), given.path)
  const body = Object.values(given.requestExamples)[0]
  return fetch(url + path, {
    method: given.method.toUpperCase(),
    headers: {
      Authorization: 'Bearer any',
      Prefer: prefer,
      ...(given.mediaType !== undefined && { Accept: given.mediaType }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

function readBody(response: Response): Promise<unknown> {
  return response.headers.get('Content-Type') === 'application/json' ? response.json() : response.text()
}

function findFaults(schema: Schema, value: unknown): unknown[] {
  const validate = ajv.compile(schema)
  validate(value)
  return validate.errors ?? []
}

/** Converts the text of a header to the type of its schema. */
function readHeader(response: Response, name: string, schema: Schema): unknown {
  const text = response.headers.get(name)
  return schema.type === 'integer' && text !== null ? Number(text) : text
}

describe('with a Prefer header', () => {
  test.each(responses)('$operationId answers $status $mediaType as documented', async given => {
    const response = await ask(given, `code=${given.status}`)
    expect(response.status).toBe(given.status)
    expect(response.headers.get('Content-Type')).toBe(given.mediaType ?? null)
    if (given.mediaType === undefined) expect(await response.text()).toBe('')
    else expect(findFaults(given.schema, await readBody(response))).toEqual([])
    for (const [name, { schema, required }] of Object.entries(given.headers)) {
      if (!required && !response.headers.has(name)) continue
      expect({ name, faults: findFaults(schema, readHeader(response, name, schema)) }).toEqual({ name, faults: [] })
    }
  })

  test.each(responses.flatMap(given => Object.keys(given.examples).map(example => ({ ...given, example }))))(
    '$operationId answers $status $mediaType with the example $example',
    async ({ example, ...given }) => {
      const response = await ask(given, `code=${given.status}, example=${example}`)
      expect(response.status).toBe(given.status)
      expect(await readBody(response)).toEqual(given.examples[example])
    },
  )
})

/** Sends a request target unchanged; fetch would normalize it. */
function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, path, headers: { Authorization: 'Bearer any', ...headers }, timeout: 5000 })
    sent.on('timeout', () => sent.destroy(new Error('no answer within 5 seconds')))
    sent.on('error', reject)
    sent.on('response', async response => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) })
    })
    sent.end(body)
  })
}

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
    const answer = await send(method, path, headers, body)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({
      error: expect.stringMatching(error),
      ...(path.startsWith('/v1/analytics') && { details: expect.any(Array) }),
    })
  })

  test.each([
    [
      'two Host headers',
      'GET /v1/static-export/jobs/a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      400,
      /has 2 Host headers/,
    ],
    ['no Host header', 'GET /v1/static-export/jobs/a HTTP/1.1\r\n\r\n', 400, /has no Host headers/],
    ['bytes that are no request', 'hello\r\n\r\n', 400, /not a valid HTTP request/],
    ['a header that is too long', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, 431, /too long/],
  ])('%s', async (_, bytes, status, error) => {
    const text = await sendBytes(bytes)
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(text).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/im)
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toEqual({ error: expect.stringMatching(error) })
  })

  test('still answers afterwards', async () => {
    expect(await send('GET', `${jobs}/a`)).toMatchObject({ status: 200 })
  })
})

test('accepts typical client requests', async () => {
  expect(await send('GET', `${visitors}?limit=250&offset=0&dateTo=2026-11-20T10:11:12.123456+00:00`)).toMatchObject({
    status: 200,
  })
  expect(await send('GET', '/v1/analytics/a%2Fb%3Fc%23d/visitors')).toMatchObject({ status: 200 })
  expect(await send('POST', `${jobs}/a/bundle`)).toMatchObject({ status: 200 })
  expect(await send('GET', `${jobs}/a`, json)).toMatchObject({ status: 200 })
  for (const fields of ['"paths":["index","guides/getting-started"]', '"paths":[]', '"version":"Release 2.4"']) {
    expect(await send('POST', jobs, json, `{"domain":"docs.example.com",${fields}}`)).toMatchObject({ status: 202 })
  }
  expect(await send('HEAD', `${jobs}/a`)).toEqual({ status: 200, body: undefined })
})

describe('visitors as CSV', () => {
  const csv = { Authorization: 'Bearer any', Accept: 'text/csv' }

  test.each([
    ['text/csv', 'text/csv'],
    ['text/csv;q=0.9, application/json;q=0.1', 'text/csv'],
    ['text/csv, application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
  ])('Accept %s gets %s, as from the server', async (accept, type) => {
    const { status, headers } = await fetch(url + visitors, { headers: { ...csv, Accept: accept } })
    expect({ status, type: headers.get('Content-Type') }).toEqual({ status: 200, type })
    expect(headers.has('Visitor-Totals')).toBe(type === 'text/csv')
    expect(headers.has('Content-Disposition')).toBe(type === 'text/csv')
    expect(headers.get('Vary')).toBe('Origin, Accept')
  })

  test('a limit is refused, and errors are JSON', async () => {
    const refused = await fetch(`${url}${visitors}?limit=5`, { headers: csv })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: 'limit does not apply to text/csv. Leave it out, or accept application/json.',
    })
    const unknown = await fetch(url + visitors, { headers: { ...csv, Prefer: 'code=404' } })
    expect({ status: unknown.status, type: unknown.headers.get('Content-Type') }).toEqual({
      status: 404,
      type: 'application/json',
    })
  })
})

test('an answer that did not change is 304, without a body', async () => {
  const headers = { Authorization: 'Bearer any' }
  const etag = (await fetch(url + visitors, { headers })).headers.get('ETag') ?? ''
  const ask = (tag: string) => fetch(url + visitors, { headers: { ...headers, 'If-None-Match': tag } })
  const unchanged = await ask(`"other", ${etag}`)
  expect({ status: unchanged.status, body: await unchanged.text(), etag: unchanged.headers.get('ETag') }).toEqual({
    status: 304,
    body: '',
    etag,
  })
  expect((await ask('"other"')).status).toBe(200)
})

test('hasMore is false by default, so that a client that requests page after page ends', async () => {
  expect(await send('GET', `${visitors}?offset=500`)).toMatchObject({ body: { hasMore: false } })
})

test('says that a start is a replay only with the example of one', async () => {
  const start = (prefer: string) =>
    fetch(url + jobs, {
      method: 'POST',
      headers: { Authorization: 'Bearer any', 'Content-Type': 'application/json', Prefer: prefer },
      body: '{"domain":"a.example"}',
    })
  expect((await start('code=202')).headers.get('Idempotency-Replayed')).toBeNull()
  expect((await start('code=202, example=startedBefore')).headers.get('Idempotency-Replayed')).toBe('true')
})

test('prints a curl line for each operation, and each of its statuses', () => {
  for (const { operationId, status, examples } of responses) {
    const section =
      mock
        .stdout()
        .split('\n\n')
        .find(text => text.includes(`(${operationId})`)) ?? ''
    expect(section).toContain(`curl -i`)
    expect(section).toContain(`    ${status}  ${Object.keys(examples).join('  ')}`)
  }
})
