import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import express from 'express'
import { afterEach, expect, expectTypeOf, test } from 'vitest'
import { fixtures } from '../../generated/fixtures.ts'
import type { Handlers, Input } from '../../generated/operations.ts'
import { HttpError } from '../../server/http/http-error.ts'
import { type MountOptions, mount } from '../../server/http/mount-handlers.ts'
import { send } from '../support/client.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'))
const visitors = fixtures.getUniqueVisitors.responses[200]['application/json'].empty
const job = fixtures.getStaticExportJob.responses[200]['application/json'].running

/** Handlers without a database, as another team would write them. */
const handlers: Handlers<undefined, undefined> = {
  getAgentJob: () => ({ status: 404, body: { error: 'No agent job has this id.' } }),
  getUniqueVisitors: () => ({ status: 200, body: visitors }),
  startStaticExportJob: () => ({ status: 202, body: job, headers: { Location: '/v1/static-export/jobs/se_1' } }),
  getStaticExportJob: () => ({ status: 200, body: job }),
  generateStaticExportBundle: () => {
    throw new Error('a secret of the server')
  },
}

let server: Server | undefined
const stop = () => new Promise<void>(done => (server ? server.close(() => done()) : done()))
afterEach(stop)

/** Starts an app with the operations and one other route. */
async function start<Deps = undefined, Caller = undefined>(
  options: Omit<MountOptions<Deps, Caller>, 'document'>,
): Promise<string> {
  const app = express()
  await mount(app, { document, ...options } as MountOptions<Deps, Caller>)
  app.get('/other', (req, res) => void res.json({ nested: req.query }))
  return listen(app)
}

async function listen(app: express.Express): Promise<string> {
  const started = app.listen(0, '127.0.0.1')
  server = started
  await new Promise(done => started.once('listening', done))
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`
}

test('a handler gets coerced parameters and the defaults of the document', async () => {
  const inputs: object[] = []
  const url = await start({
    handlers: {
      ...handlers,
      getUniqueVisitors: input => {
        inputs.push(input.query)
        return { status: 200, body: visitors }
      },
      startStaticExportJob: input => {
        inputs.push(input.body)
        return { status: 202, body: job }
      },
    },
  })
  expect(await send(url, '/v1/analytics/p/visitors?limit=7')).toMatchObject({ status: 200, json: visitors })
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ domain: 'docs.example.com' })
  expect(await send(url, '/v1/static-export/jobs', { method: 'POST', headers, body })).toMatchObject({ status: 202 })
  expect(inputs).toEqual([
    { limit: 7, offset: 0 },
    { domain: 'docs.example.com', deployment: 'air-gapped', offlineSearch: false, format: 'zip' },
  ])
})

test.each<{ given: string; path: string; status: number; error: string; options?: object }>([
  {
    given: 'a limit that is too large',
    path: '/v1/analytics/p/visitors?limit=251',
    status: 400,
    error: 'limit must be a whole number from 1 to 250. Example: 250',
  },
  {
    given: 'an invalid percent escape',
    path: '/v1/analytics/%/visitors',
    status: 400,
    error: 'The path contains an invalid percent escape. Write a percent sign as %25.',
  },
  {
    given: 'a body that is not JSON',
    path: '/v1/static-export/jobs',
    options: { method: 'POST', body: 'domain=a' },
    status: 415,
    error: 'The request body must be JSON. Send it with Content-Type: application/json',
  },
  {
    given: 'a handler that throws',
    path: '/v1/static-export/jobs/se_1/bundle',
    options: { method: 'POST' },
    status: 500,
    error: 'Internal server error.',
  },
])('$given gets the documented error body', async ({ path, status, error, options }) => {
  const errors: unknown[] = []
  const url = await start({ handlers, onError: thrown => errors.push(thrown) })
  const answer = await send(url, path, options)
  expect(answer).toMatchObject({ status, json: { error: expect.stringContaining(error) } })
  expect(answer.text).not.toContain('secret')
  expect(answer.headers['x-request-id']).toMatch(/^[\w-]{36}$/)
  expect(errors).toHaveLength(status === 500 ? 1 : 0)
})

test('admission decides who may call, and the handler gets the caller', async () => {
  const withCaller: Handlers<{ name: string }, { team: string }> = {
    ...(handlers as Handlers<unknown, unknown>),
    getAgentJob: (_input: Input<'getAgentJob'>, deps, caller) => {
      expectTypeOf(caller).toEqualTypeOf<{ team: string }>()
      return { status: 404, body: { error: `${deps.name} ${caller.team}` } }
    },
  }
  const url = await start<{ name: string }, { team: string }>({
    handlers: withCaller,
    deps: { name: 'store' },
    admission: {
      authorize: (route, req) => {
        if (req.headers.authorization !== 'Bearer good') {
          throw new HttpError(401, 'invalid_api_key', 'Send a key.', { 'WWW-Authenticate': 'Bearer' })
        }
        return { team: route.operationId }
      },
      spend: ({ rateLimit }) => {
        if (rateLimit) throw new HttpError(429, 'rate_limited', 'Spent.', { 'Retry-After': '36' })
      },
    },
  })
  const good = { headers: { Authorization: 'Bearer good' } }
  expect(await send(url, '/v2/agent/p/job/j')).toMatchObject({
    status: 401,
    json: { error: 'Send a key.' },
    headers: { 'www-authenticate': 'Bearer' },
  })
  expect(await send(url, '/v2/agent/p/job/j', good)).toMatchObject({ json: { error: 'store getAgentJob' } })
  expect(await send(url, '/v1/analytics/p/visitors', good)).toMatchObject({
    status: 429,
    json: { error: 'Spent.', details: [{ message: 'Spent.' }] },
  })
})

test('in development, an answer that the document does not allow is a 500', async () => {
  const errors: unknown[] = []
  const wrong = { ...handlers, getStaticExportJob: () => ({ status: 200, body: { ...job, progress: 'half' } }) }
  const options = { handlers: wrong as never, onError: (error: unknown) => errors.push(error) }
  const url = await start({ ...options, validateResponses: true })
  expect(await send(url, '/v1/static-export/jobs/se_1')).toMatchObject({ status: 500 })
  expect(String(errors[0])).toContain('progress')
})

test('other routes of the app keep the settings of the app', async () => {
  const url = await start({ handlers })
  expect((await send(url, '/other?a=1')).json).toEqual({ nested: { a: '1' } })
  const unknown = await send(url, '/unknown')
  expect([unknown.status, unknown.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
})

test.each<[method: string, path: string, status: number, headers: object]>([
  ['DELETE', '/v1/static-export/jobs', 405, { allow: 'POST' }],
  ['OPTIONS', '/v1/analytics/p/visitors', 405, { allow: 'GET' }],
  ['POST', '/v1/static-export/jobs/se_1?a=b', 405, { allow: 'GET' }],
  ['GET', '/v1/static-export/jobs/se_1/nothing', 404, {}],
  ['GET', '/v1/analytics', 404, {}],
  ['GET', '/v2/agent/p/jobs/j', 404, {}],
  ['GET', '/v2/agent/%/nothing', 404, {}],
])('%s %s below the paths of the document is a %s in JSON', async (method, path, status, headers) => {
  const url = await start({ handlers })
  const answer = await send(url, path, { method })
  expect(answer).toMatchObject({ status, headers, json: { error: expect.stringContaining('path') } })
  expect(answer.headers['x-request-id']).toBeDefined()
})

test('other paths reach the app, unless it wants them refused', async () => {
  const paths = ['/other', '/v1/other', '/v1/static-exports/jobs', '/v3/x', '/%']
  const read = async (url: string) =>
    Promise.all(
      paths.map(async path => {
        const { status, headers } = await send(url, path)
        return [status, headers['content-type'], headers['x-request-id'] !== undefined].join(' ')
      }),
    )
  const html = '404 text/html; charset=utf-8 false'
  expect(await read(await start({ handlers }))).toEqual([
    '200 application/json; charset=utf-8 false',
    html,
    html,
    html,
    html,
  ])
  await stop()
  const refused = '404 application/json; charset=utf-8 true'
  expect(await read(await start({ handlers, otherPaths: 'refuse' }))).toEqual(paths.map(() => refused))
})

test('an app that is mounted at a path of another app works there', async () => {
  const api = express()
  await mount(api, { document, handlers })
  const url = await listen(express().use('/platform', api))
  expect(await send(url, '/platform/v1/static-export/jobs/se_1')).toMatchObject({ status: 200 })
  expect(await send(url, '/platform/v1/analytics/p/visitors?limit=0')).toMatchObject({
    status: 400,
    json: { details: [{ message: expect.stringContaining('limit') }] },
  })
  expect(await send(url, '/platform/v1/analytics/%/visitors')).toMatchObject({ status: 400 })
  expect(await send(url, '/platform/v1/static-export/jobs')).toMatchObject({ status: 405 })
  expect((await send(url, '/v1/static-export/jobs')).headers['content-type']).toContain('text/html')
})

test('the compiler wants what the handlers need', () => {
  const app = express()
  const needing = handlers as unknown as Handlers<{ name: string }, { team: string }>
  // Never called: this tests the compiler.
  const wrong = () => [
    // @ts-expect-error: the handlers need deps and a caller
    mount(app, { document, handlers: needing }),
    // @ts-expect-error: an operation has no handler
    mount(app, { document, handlers: { getAgentJob: handlers.getAgentJob } }),
    mount(app, { document, handlers }),
  ]
  expect(wrong).toBeTypeOf('function')
})
