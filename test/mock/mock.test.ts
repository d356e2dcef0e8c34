import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentedResponse, listDocumentedResponses } from '../../scripts/generate/dereference.ts'
import type { Document, Schema } from '../../scripts/generate/document.ts'
import { type RunningMock, sendToMock, startMock } from './running-mock.ts'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => JSON.parse(readFileSync(join(root, 'generated', name), 'utf8')) as Document
const responses = [
  ...(await listDocumentedResponses(read('openapi.json'))),
  ...(await listDocumentedResponses(read('extensions/openapi.json'))),
]
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

let mock: RunningMock
let url: string
beforeAll(async () => {
  mock = await startMock()
  url = mock.url
})
afterAll(() => mock.end('SIGINT'))

/** Requests a documented response with the examples of the document and this Prefer header. */
async function ask(given: DocumentedResponse, prefer: string): Promise<Response> {
  const path = given.parameters
    .filter(parameter => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), given.path)
  const query = given.parameters
    .filter(parameter => parameter.in === 'query' && parameter.required)
    .map(({ name, example }) => `?${name}=${encodeURIComponent(String(example))}`)
  const body = Object.values(given.requestExamples)[0]
  return fetch(`${url}${path}${query.join('&')}`, {
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
  return response.headers.get('Content-Type')?.endsWith('json') ? response.json() : response.text()
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

test.each(['scenario=slow', 'code=404, Delay=500', 'error="503"'])(
  'a preference of the mock that moves is refused: %s',
  async prefer => {
    const response = await fetch(`${url}/v1/static-export/jobs/se_1`, {
      headers: { Authorization: 'Bearer any', Prefer: prefer },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      error: expect.stringMatching(
        /^This mock has fixed examples, and no \w+\. Start it with npm run mock -- --scenario usual/,
      ),
    })
  },
)

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
      const body = await readBody(response)
      const requestId = response.headers.get('X-Request-Id')
      const wanted = given.examples[example]
      expect(body).toEqual(given.status < 400 ? wanted : { ...(wanted as object), requestId })
    },
  )
})

/** Sends a request target unchanged; fetch would normalize it. */
const json = { 'Content-Type': 'application/json' }
const jobs = '/v1/static-export/jobs'
const visitors = '/v1/analytics/p/visitors'

test('accepts typical client requests', async () => {
  expect(
    await sendToMock(url, 'GET', `${visitors}?limit=250&offset=0&dateTo=2026-11-20T10:11:12.123456+00:00`),
  ).toMatchObject({
    status: 200,
  })
  expect(await sendToMock(url, 'GET', '/v1/analytics/a%2Fb%3Fc%23d/visitors')).toMatchObject({ status: 200 })
  expect(await sendToMock(url, 'POST', `${jobs}/a/bundle`)).toMatchObject({ status: 200 })
  expect(await sendToMock(url, 'GET', `${jobs}/a`, json)).toMatchObject({ status: 200 })
  for (const fields of ['"paths":["index","guides/getting-started"]', '"paths":[]', '"version":"Release 2.4"']) {
    expect(await sendToMock(url, 'POST', jobs, json, `{"domain":"docs.example.com",${fields}}`)).toMatchObject({
      status: 202,
    })
  }
  expect(await sendToMock(url, 'HEAD', `${jobs}/a`)).toEqual({ status: 200, body: undefined })
})

test('refuses what the second document does not allow, and takes log lines in any encoding', async () => {
  expect(await sendToMock(url, 'GET', '/quire/v1/exports?limt=5')).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', details: [{ field: 'limt' }] },
  })
  expect(await sendToMock(url, 'POST', '/quire/v1/webhooks', json, '{"url":5}')).toMatchObject({ status: 400 })
  const gzipped = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' }
  expect(await sendToMock(url, 'POST', '/quire/v1/visits', gzipped, '\u001f')).toMatchObject({ status: 200 })
  expect(await sendToMock(url, 'PATCH', '/quire/v1/exports')).toMatchObject({ status: 405 })
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
  expect(await sendToMock(url, 'GET', `${visitors}?offset=500`)).toMatchObject({ body: { hasMore: false } })
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
  for (const { operationId, status, examples, mediaType } of responses) {
    if (mediaType === 'application/problem+json') continue
    const section =
      mock
        .stdout()
        .split('\n\n')
        .find(text => text.includes(`(${operationId})`)) ?? ''
    expect(section).toContain(`curl -i`)
    expect(section).toContain(`    ${status}  ${Object.keys(examples).join('  ')}`)
  }
})
