import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixtures } from '../../generated/extensions/fixtures.ts'
import { type Handlers, routes } from '../../generated/extensions/operations.ts'
import type { Handlers as FirstHandlers } from '../../generated/operations.ts'
import { createFetchHandler } from '../../server/http/fetch-handler.ts'
import { HttpError } from '../../server/http/http-error.ts'
import { mount } from '../../server/http/mount-handlers.ts'
import { createExtensionsClient } from '../../spec/package/client/extensions.ts'

// A server of another team that has the operations of both documents.

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../../generated', name), 'utf8'))
const [document, second] = [read('openapi.json'), read('extensions/openapi.json')]
const unknown = { status: 404 as const, body: { error: 'unknown' } }
const noRunner = { status: 501 as const, body: { error: 'No runner.' } }
const first: FirstHandlers<undefined, string> = {
  getAgentJob: () => unknown,
  getUniqueVisitors: () => ({ status: 404, body: { error: 'unknown', details: [] } }),
  startStaticExportJob: () => ({ status: 400, body: { error: 'refused' } }),
  getStaticExportJob: () => unknown,
  generateStaticExportBundle: () => unknown,
}
const received = fixtures.sendVisits.responses[200]['application/json'].counted
const started = fixtures.reportAgentJob.responses[201]['application/json'].started
const handlers: Handlers<undefined, string> = {
  listAgentJobs: ({ params, query }) => ({ status: 404, body: { error: JSON.stringify([params, query]) } }),
  reportAgentJob: ({ params, body }, _deps, caller) => ({
    status: 201,
    body: { ...started, id: params.id, model: `${body.model} of ${caller}` },
  }),
  archiveAgentJob: () => unknown,
  getAgentRun: () => unknown,
  getAgentChange: () => unknown,
  listAgentEvents: () => unknown,
  cancelAgentJob: () => unknown,
  listExports: () => ({ status: 200, body: { exports: [], nextCursor: null } }),
  deleteExport: () => unknown,
  cancelExport: () => unknown,
  sendVisits: async ({ body }) => ({ status: 200, body: { ...received, lines: (await buffer(body)).length } }),
  sendVisitsByHost: () => ({ status: 200, body: received }),
  sendPageView: () => ({ status: 204 }),
  listWebhooks: () => {
    throw new Error('a secret of the server')
  },
  createWebhook: ({ body }) => ({ status: 409, body: { error: body.url } }),
  deleteWebhook: ({ params }) => ({ status: 404, body: { error: params.webhookId } }),
  rotateWebhookSecret: () => unknown,
  sendTestEvent: () => unknown,
  listDeliveries: () => unknown,
  startAgentJob: () => noRunner,
  sendAgentMessage: () => noRunner,
  startEarlierAgentJob: () => noRunner,
}
const extensions = { document: second, routes, handlers }
const authorize = (authorization: string | null | undefined): string => {
  if (authorization !== 'Bearer good') throw new HttpError(401, 'invalid_api_key', 'Send a key.')
  return 'docs'
}

let server: Server
let origin: string
let answer: (request: Request) => Promise<Response>
beforeAll(async () => {
  const app = express()
  const admission = { authorize: (_: unknown, req: express.Request) => authorize(req.headers.authorization) }
  await mount(app, { document, handlers: first, extensions, admission, bodyLimitBytes: 1000, validateResponses: true })
  app.get('/quire/other', (_req, res) => void res.json('a route of the app'))
  server = app.listen(0, '127.0.0.1')
  await new Promise(done => server.once('listening', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  answer = await createFetchHandler({
    ...{ document, handlers: first, extensions, deps: undefined, bodyLimitBytes: 1000 },
    admission: { authorize: (_, request) => authorize(request.headers.get('Authorization')) },
  })
})
afterAll(() => new Promise(done => server.close(done)))

const good = { Authorization: 'Bearer good', 'X-Request-Id': 'one' }
const send = (method: string, body: unknown, type = 'application/json'): RequestInit => ({
  method,
  headers: { ...good, 'Content-Type': type },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const report = { status: 'active', source: { repository: 'https://github.com/acme/docs' }, model: 'writer-2' }
const job = '/quire/v1/projects/p/agent-jobs/%61'

test.each<[path: string, status: number, body: object, init?: RequestInit]>([
  [job, 201, { id: 'a', model: 'writer-2 of docs' }, send('PUT', report)],
  [job, 400, { code: 'invalid_request', details: [{ field: 'model' }] }, send('PUT', { ...report, model: 7 })],
  [job, 413, { code: 'body_too_large' }, send('PUT', { ...report, model: 'm'.repeat(1000) })],
  [job, 415, { code: 'unsupported_media_type' }, send('PUT', 'text', 'text/plain')],
  ['/quire/v1/projects/p/agent-jobs?limit=7', 404, { error: '[{"projectId":"p"},{"limit":7}]' }],
  ['/quire/v1/projects/p/agent-jobs', 404, { error: '[{"projectId":"p"},{"limit":25}]' }],
  ['/quire/v1/projects/p/visits', 200, { lines: 3000 }, send('POST', 'line'.repeat(750), 'text/plain')],
  ['/quire/v1/projects/p/visits?formt=json', 400, { code: 'invalid_request' }, send('POST', 'line', 'text/plain')],
  ['/quire/v1/webhooks/w', 404, { error: 'w' }, { method: 'DELETE', headers: good }],
  ['/quire/v1/webhooks', 500, { code: 'internal_error' }],
  ['/quire/v1/webhooks', 401, { code: 'invalid_api_key' }, {}],
  ['/quire/v1/exports', 405, { code: 'method_not_allowed' }, { method: 'PUT', headers: good }],
  ['/quire/v1/nothing', 404, { code: 'unknown_path' }],
  ['/quire/v1/webhooks/%/deliveries', 400, { code: 'malformed_path' }],
  ['/v2/agent/p/job', 501, { error: 'No runner.' }, send('POST', { prompt: 'Fix it.' })],
  ['/v2/agent/p/job/j', 404, { error: 'unknown' }],
  ['/v1/analytics/p/visitors?limit=999', 400, { code: 'invalid_request' }],
])('%s is answered %i by Express and by the Fetch API alike', async (path, status, body, init = { headers: good }) => {
  const readAnswer = async (given: Response) => {
    const [allow, requestId] = ['Allow', 'X-Request-Id'].map(name => given.headers.get(name))
    const { requestId: _, ...json } = (await given.json()) as { requestId?: string }
    return { status: given.status, allow, isSameId: requestId === 'one', json }
  }
  const byExpress = await readAnswer(await fetch(origin + path, init))
  expect(byExpress).toMatchObject({ status, json: body })
  expect(await readAnswer(await answer(new Request(`http://any${path}`, init)))).toEqual(byExpress)
})

test('other routes of the app stay, and the client of the second document calls the server', async () => {
  expect(await (await fetch(`${origin}/quire/other`)).json()).toBe('a route of the app')
  const client = createExtensionsClient({ baseUrl: origin, apiKey: 'good' })
  expect(await client.listExports()).toMatchObject({ status: 200, data: { nextCursor: null } })
})

test('the compiler wants a handler for each operation of the second document', () => {
  const { listExports, ...others } = handlers
  expect(listExports).toBeTypeOf('function')
  // Never called: this tests the compiler.
  const admission = { authorize: () => 'docs' }
  const incomplete = { ...extensions, handlers: others }
  // @ts-expect-error: listExports is missing
  const start = () => mount(express(), { document, handlers: first, admission, extensions: incomplete })
  expect(start).toBeTypeOf('function')
})
