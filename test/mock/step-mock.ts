import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { listDocumentedResponses } from '../../scripts/generate/dereference.ts'
import type { Document, Schema } from '../../scripts/generate/document.ts'
import { findRoute } from '../../server/http/routes.ts'
import { createMock, type Mock, type MockOptions } from '../../spec/package/mock/index.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8')) as Document
/** The responses of the document. */
export const responses = await listDocumentedResponses(document)
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

const compiled = new Map<Schema, ValidateFunction>()

function compile(schema: Schema): ValidateFunction {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  return validate
}

export const origin = 'http://mock.test'
export const visitors = '/v1/analytics/prj_5b1c2d3e4f506172/visitors'
export const jobs = '/v1/static-export/jobs'

/** What the mock answered. */
export interface Sent {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** Sends a request to the mock, and checks that the document has its answer. */
export async function send(mock: Mock, path: string, init: RequestInit = {}): Promise<Sent> {
  const request = new Request(origin + path, { ...init, headers: { Authorization: 'Bearer any', ...init.headers } })
  const response = await mock.answer(request)
  const sent = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: response.headers.get('Content-Type')?.includes('json') ? await response.json() : {},
  }
  checkDocumented(request.method, path, sent)
  return sent
}

/** Checks that the document has the answer: its status, its body and its required headers. */
function checkDocumented(method: string, path: string, { status, headers, body }: Sent): void {
  const route = findRoute(method, path)
  if (!route || !headers['content-type']?.includes('json')) return
  const documented = responses.find(
    given => given.operationId === route.operationId && given.status === status && given.mediaType?.includes('json'),
  )
  if (!documented) throw new Error(`${route.operationId} has no ${status}: ${JSON.stringify(body)}`)
  const validate = compile(documented.schema)
  expect(validate(body) || validate.errors).toBe(true)
  for (const [name, { required, schema }] of Object.entries(documented.headers)) {
    if (required) expect(headers).toHaveProperty(name.toLowerCase())
    const text = headers[name.toLowerCase()]
    if (text !== undefined) expect(compile(schema)(schema.type === 'integer' ? Number(text) : text)).toBe(true)
  }
}

/** A mock whose time moves by a second with each request, and that never waits. */
export function createStepMock(options: MockOptions = {}) {
  const waited: number[] = []
  const mock = createMock({
    stepSeconds: 1,
    wait: async delayMs => void waited.push(delayMs),
    ...options,
  })
  return { mock, waited }
}

/** A request that starts an export. */
export const startInit = (body: object = { domain: 'docs.example.com' }, headers = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Polls an export job, and returns each answer. */
export async function pollExport(mock: Mock, jobId: string, times: number): Promise<Sent['body'][]> {
  const seen: Sent['body'][] = []
  for (let i = 0; i < times; i++) seen.push((await send(mock, `${jobs}/${jobId}`)).body)
  return seen
}
