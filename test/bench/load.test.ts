import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { runLoad } from '../../scripts/bench/http/load.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function serve(listener: RequestListener): Promise<string> {
  const started = createServer(listener)
  server = started
  await new Promise<void>(done => started.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`
}

const exchanges = [
  { path: '/a', body: '{"id":"a"}' },
  { path: '/b', body: '{"id":"größer"}' },
]
const plan = { connections: 3, seconds: 0.2 }
const bodyOf = (path: string | undefined) => exchanges.find(exchange => exchange.path === path)?.body ?? ''

test('cycles through the paths with the given headers, and counts each answer once', async () => {
  const seen: (string | undefined)[] = []
  const url = await serve((req, res) => {
    seen.push(req.url, req.headers.authorization)
    res.end(bodyOf(req.url))
  })
  const load = await runLoad(url, { Authorization: 'Bearer x' }, exchanges, plan)
  expect(new Set(seen)).toEqual(new Set(['/a', '/b', 'Bearer x']))
  expect(load.requests).toBe(seen.length / 2)
  expect(load.requests).toBeGreaterThan(plan.connections)
  expect(load.seconds).toBeGreaterThanOrEqual(plan.seconds)
  expect(load.p99Ms).toBeGreaterThanOrEqual(load.p50Ms)
})

test('assembles an answer that arrives in pieces', async () => {
  const url = await serve((req, res) => {
    const body = Buffer.from(bodyOf(req.url))
    res.setHeader('Content-Length', body.length)
    res.write(body.subarray(0, 3))
    setTimeout(() => res.end(body.subarray(3)), 5)
  })
  expect((await runLoad(url, {}, exchanges, plan)).requests).toBeGreaterThan(0)
})

test.each<[string, RequestListener, string]>([
  ['another body of the same length', (_req, res) => res.end('{"id":"x"}'), 'unexpected answer'],
  ['a longer body', (req, res) => res.end(`${bodyOf(req.url)} `), 'unexpected answer'],
  ['another status', (req, res) => res.writeHead(404).end(bodyOf(req.url)), 'HTTP/1.1 404'],
  ['no answer', (_req, res) => res.destroy(), 'the server closed the connection'],
])('%s ends the run with an error', async (_, listener, why) => {
  const url = await serve(listener)
  await expect(runLoad(url, {}, exchanges, plan)).rejects.toThrow(why)
})

test('a missing server ends the run with an error', async () => {
  const url = await serve(() => undefined)
  server?.close()
  await expect(runLoad(url, {}, exchanges, plan)).rejects.toThrow('ECONNREFUSED')
})
