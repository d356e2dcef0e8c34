import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { runPaced } from '../../../scripts/bench/visitors/paced-load.ts'
import { startPaced } from '../../../scripts/bench/visitors/paced-process.ts'
import { toPercentiles } from '../../../scripts/bench/visitors/percentiles.ts'

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

const exchanges = [{ path: '/a', body: 'right' }]

test('requests during a pause are timed from the instant they were due', async () => {
  const held: ServerResponse[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const url = await serve((_req, res) => {
    held.push(res)
    if (held.length < 40) return
    release()
    for (const waiting of held) waiting.end('right')
  })
  const { requests, maxMs, p50Ms } = await runPaced({ url, headers: {}, exchanges, everyMs: 10, until: released })
  expect(requests).toBeGreaterThanOrEqual(40)
  // Request 40 is due after 390 ms, and the first request is answered after that.
  expect(maxMs).toBeGreaterThan(380)
  expect(p50Ms).toBeGreaterThan(100)
})

test('a separate process sends requests until it is stopped, and reports errors', { timeout: 30_000 }, async () => {
  const load = { url: await serve((_req, res) => res.end('right')), headers: {}, everyMs: 10 }
  const right = await startPaced({ ...load, exchanges })
  await sleep(500)
  expect((await right.stop()).requests).toBeGreaterThan(20)
  await expect(startPaced({ ...load, exchanges: [{ path: '/a', body: 'other' }] })).rejects.toThrow(
    'exited with code 1',
  )
})

test.each<[string, RequestListener, string]>([
  ['another body', (_req, res) => res.end('wrong'), 'unexpected answer'],
  ['another status', (_req, res) => res.writeHead(429).end('right'), '429'],
])('%s ends the run with an error', async (_, listener, why) => {
  const url = await serve(listener)
  await expect(runPaced({ url, headers: {}, exchanges, everyMs: 10, until: sleep(5000) })).rejects.toThrow(why)
})

test('percentiles are measured times', () => {
  const times = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect(toPercentiles(times)).toEqual({ requests: 100, p50Ms: 50, p95Ms: 95, p99Ms: 99, maxMs: 100 })
  expect(toPercentiles([7])).toEqual({ requests: 1, p50Ms: 7, p95Ms: 7, p99Ms: 7, maxMs: 7 })
})
