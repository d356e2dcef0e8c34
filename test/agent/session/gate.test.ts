import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openGate } from '../../../server/agent/session/gate.ts'

type Listener = (request: http.IncomingMessage, response: http.ServerResponse) => void

async function start(listener: Listener, { path = '/v1', folder = '', onExceeded = (_: Error) => {} } = {}) {
  const server = http.createServer(listener)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const scratch = join(mkdtempSync(join(tmpdir(), 'quire-gate-test-')), folder)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const gate = await openGate({ endpoint: { url, key: 'the-key' }, scratch, maxCalls: 10, onExceeded })
  onTestFinished(async () => {
    await gate.close()
    server.closeAllConnections()
    server.close()
    rmSync(scratch, { recursive: true, force: true })
  })
  return gate
}

interface Call {
  method?: string
  body?: string | Buffer
  headers?: Record<string, string>
}

async function call(
  gate: { socket: string; token: string },
  path: string,
  { method = 'POST', body = '{}', headers = {} }: Call = {},
) {
  const request = http.request({ socketPath: gate.socket, path: `/${gate.token}${path}`, method, headers })
  request.on('error', () => {})
  request.end(body)
  const response = await new Promise<http.IncomingMessage>((done, failed) =>
    request.on('response', done).on('error', failed),
  )
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

const echo: Listener = (request, response) =>
  response.writeHead(200, { 'set-cookie': 'a=b' }).end(JSON.stringify([request.url, request.headers]))

test.for([
  ['/v1', '/chat/completions', '/v1/chat/completions', { authorization: 'Bearer the-key' }],
  ['/v1', '/v1/responses', '/v1/responses', { authorization: 'Bearer the-key' }],
  ['', '/v1/messages?beta=true', '/v1/messages?beta=true', { 'x-api-key': 'the-key' }],
  ['/v1', '/v1/messages', '/v1/messages', { 'x-api-key': 'the-key' }],
  [
    '',
    '/v1beta/models/m-1:streamGenerateContent?alt=sse',
    '/v1beta/models/m-1:streamGenerateContent?alt=sse',
    { 'x-goog-api-key': 'the-key' },
  ],
] as const)(
  'an endpoint at %j gets %s with its key, and nothing that the agent knows',
  async ([base, path, seen, key]) => {
    const gate = await start(echo, { path: base })
    const given = { authorization: 'Bearer x', 'x-api-key': 'x', 'x-goog-api-key': 'x', cookie: 'x', 'x-other': 'x' }
    const { status, headers, body } = await call(gate, path, { headers: { ...given, 'anthropic-version': '1' } })
    const [url, got] = JSON.parse(body)
    expect([status, url, headers['set-cookie']]).toEqual([200, seen, undefined])
    const { host, connection, 'transfer-encoding': _, 'content-length': __, ...rest } = got
    expect(rest).toEqual({ 'anthropic-version': '1', ...key })
  },
)

test.for([
  ['GET', '/chat/completions'],
  ['POST', '/models'],
  ['POST', '/files'],
  ['POST', '/chat/completions/'],
  ['POST', '/chat/../completions'],
  ['DELETE', '/models'],
] as const)('%s %s does not pass', async ([method, path]) => {
  const gate = await start(echo)
  expect((await call(gate, path, { method })).status).toBe(404)
  expect((await call({ ...gate, token: 'other' }, '/chat/completions')).status).toBe(404)
  expect(gate.calls()).toBe(0)
})

test('an answer passes while it is written', async () => {
  const { promise: isRead, resolve } = Promise.withResolvers<void>()
  const gate = await start(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    await isRead
    response.end('data: 2\n\n')
  })
  const request = http
    .request({ socketPath: gate.socket, path: `/${gate.token}/chat/completions`, method: 'POST' })
    .end()
  const response = await new Promise<http.IncomingMessage>(done => request.on('response', done))
  let body = ''
  for await (const bytes of response) {
    body += bytes
    resolve()
  }
  expect(body).toBe('data: 1\n\ndata: 2\n\n')
})

test('a request of more than 32 MB is refused', async () => {
  const gate = await start((request, response) => request.resume().on('end', () => response.end()))
  const answer = call(gate, '/chat/completions', { body: Buffer.alloc(33 * 1024 ** 2) })
  expect(await answer.then(({ status }) => status)).toBe(413)
})

test('the last call decides whether the model failed', async () => {
  let status = 404
  const gate = await start((_, response) => response.writeHead(status).end())
  await call(gate, '/chat/completions')
  expect(gate.failure()).toContain('answered 404')
  status = 200
  await call(gate, '/chat/completions')
  expect([gate.failure(), gate.calls()]).toEqual([undefined, 2])
})

test('a wrong key ends the agent, which could repeat the call for minutes', async () => {
  const reasons: string[] = []
  const gate = await start((_, response) => response.writeHead(401).end(), {
    onExceeded: error => void reasons.push(error.message),
  })
  await call(gate, '/models', { method: 'GET' })
  expect(reasons).toEqual([])
  await call(gate, '/chat/completions')
  expect(reasons).toEqual([expect.stringContaining('answered 401')])
})

test('a scratch folder with a long path has its socket elsewhere, which is removed', async () => {
  const gate = await start(echo, { folder: 'x'.repeat(120) })
  expect((await call(gate, '/chat/completions')).status).toBe(200)
  await gate.close()
  expect(readdirSync(tmpdir())).not.toContain(gate.socket.split('/').at(-2))
})
