import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorCauses } from '../../generated/error-codes.ts'
import { send } from '../support/client.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')
const document = JSON.parse(readFileSync(join(root, 'generated/openapi.json'), 'utf8'))
const { ErrorCode, FaultCode } = document.components.schemas
const sources = globSync('server/{http,operations}/*.ts', { cwd: root }).map(file =>
  readFileSync(join(root, file), 'utf8'),
)

function faultsOf(json: Record<string, unknown>) {
  return json.details as { message: string; field?: string; code?: string }[]
}

let server: TestServer
let visitors: string
let headers: Record<string, string>
beforeAll(async () => {
  server = await startTestServer()
  const { organizationId, projectId } = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, organizationId)
  visitors = `/v1/analytics/${projectId}/visitors`
  headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
})
afterAll(() => server.dispose())

test.each([...Object.keys(errorCauses), ...Object.keys(FaultCode['x-codes'])])('the server has the code %s', code => {
  expect(sources.some(text => text.includes(`'${code}'`))).toBe(true)
})

test('every code has a cause without a full stop, a remedy with one, and matches the pattern of the document', () => {
  for (const { 'x-codes': codes, pattern } of [ErrorCode, FaultCode]) {
    for (const [code, { cause, remedy }] of Object.entries<{ cause: string; remedy: string }>(codes)) {
      expect(code).toMatch(new RegExp(pattern))
      expect(cause).toMatch(/^[A-Z].*[^.]$/)
      expect(remedy).toMatch(/^[A-Z].*\.$/)
    }
  }
})

test('every example of an error has a code of its status', () => {
  const responses = Object.values(document.paths as Record<string, Record<string, { responses: object }>>).flatMap(
    item => Object.values(item).flatMap(operation => Object.entries(operation.responses)),
  )
  let compared = 0
  for (const [status, { $ref }] of responses as [string, { $ref?: string }][]) {
    if (Number(status) < 400) continue
    const response = document.components.responses[$ref?.split('/').at(-1) ?? '']
    for (const example of Object.values<{ $ref: string }>(response.content['application/json'].examples)) {
      const { code } = document.components.examples[example.$ref.split('/').at(-1) ?? ''].value
      expect(ErrorCode['x-codes'][code]?.statuses).toContain(Number(status))
      compared += 1
    }
  }
  expect(compared).toBeGreaterThan(30)
})

describe('all faults of a request are told at once', () => {
  test('in a query', async () => {
    const { status, json } = await send(server.url, `${visitors}?limit=500&offset=-1&dateFrom=x&page=2`, { headers })
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_request' })
    expect(json.details).toEqual([
      { message: expect.stringContaining('dateFrom must be'), field: 'dateFrom', code: 'wrong_format' },
      { message: expect.stringContaining('limit must be'), field: 'limit', code: 'out_of_range' },
      { message: expect.stringContaining('offset must be'), field: 'offset', code: 'out_of_range' },
      { message: expect.stringContaining('page is not'), field: 'page', code: 'unknown_field' },
    ])
    expect(json.error).toBe(
      faultsOf(json)
        .map(({ message }) => message)
        .join(' '),
    )
  })

  test('in a body and its headers', async () => {
    const { json } = await send(server.url, '/v1/static-export/jobs', {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': 'a b' },
      body: JSON.stringify({ domian: 'x', format: 'rar', paths: ['/a', '/a', 5], features: { search: 'yes' } }),
    })
    expect(faultsOf(json).map(({ field, code }) => `${field} ${code}`)).toEqual([
      'Idempotency-Key wrong_format',
      'domain missing',
      'paths repeated_item',
      'paths[2] wrong_type',
      'features.search wrong_type',
      'format unknown_value',
      'domian unknown_field',
    ])
  })

  test('but at most ten, also of a body with half a million', async () => {
    const body = `{"domain":"a.example","paths":[${'1,'.repeat(500_000)}1]}`
    const { status, json } = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body })
    expect({ status, count: faultsOf(json).length }).toEqual({ status: 400, count: 10 })
  })
})

describe('every error has a code and the id of its request', () => {
  test.each([
    ['no key', { method: 'POST' }, 401, 'invalid_api_key'],
    ['an unknown path', { path: '/v9' }, 404, 'unknown_path'],
    ['another method', { method: 'DELETE' }, 405, 'method_not_allowed'],
    ['a percent sign', { path: '/v2/agent/%/job/x', headers: true }, 400, 'malformed_path'],
    ['no JSON', { method: 'POST', headers: true, body: '{' }, 400, 'malformed_json'],
    ['an unknown domain', { method: 'POST', headers: true, body: '{"domain":"a.example"}' }, 400, 'unknown_domain'],
    ['an unknown job', { path: '/v1/static-export/jobs/se_1', headers: true }, 404, 'unknown_export_job'],
    ['a link to no bundle', { path: '/bundles/se_1/x.zip' }, 403, 'invalid_link'],
  ])('%s', async (_, asked, status, code) => {
    const { path = '/v1/static-export/jobs', method = 'GET', headers: hasKey, body } = asked as Record<string, string>
    const init = { method, ...(hasKey && { headers }), ...(body !== undefined && { body }) }
    const answer = await send(server.url, path, init)
    expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code })
    expect(answer.json.requestId).toBe(answer.headers['x-request-id'])
  })
})

test('a client that prefers problems gets the same facts as a problem of RFC 9457', async () => {
  const path = `${visitors}?limit=500&offset=-1`
  const plain = await send(server.url, path, { headers })
  const accept = { ...headers, Accept: 'application/problem+json, application/json;q=0.9' }
  const problem = await send(server.url, path, { headers: accept })
  expect(problem.headers['content-type']).toBe('application/problem+json')
  const { error } = plain.json
  const code = String(plain.json.code)
  expect(JSON.parse(problem.text)).toEqual({
    type: `/docs/errors#${code}`,
    title: ErrorCode['x-codes'][code].cause,
    status: 400,
    detail: error,
    code,
    requestId: problem.headers['x-request-id'],
    errors: faultsOf(plain.json).map(({ message, ...rest }) => ({ detail: message, ...rest })),
  })
})
