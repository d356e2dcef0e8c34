import type { RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { defaultLimits, totalExceeded } from '../../../server/export/model/limits.ts'
import { type Fetcher, openFetcher } from '../../../server/web/fetch/fetcher.ts'
import { createHostTurns } from '../../../server/web/fetch/host-turns.ts'
import { type RunningServer, startServer } from '../../export/static-server.ts'
import { recordLongSleeps } from '../../support/recorded-sleeps.ts'

const opened: { close(): Promise<unknown> }[] = []

afterEach(async () => {
  for (const item of opened.splice(0)) await item.close()
})

async function start(
  listener: RequestListener,
  retries = 4,
  pageTimeoutMs = 30_000,
): Promise<{ fetcher: Fetcher; server: RunningServer }> {
  const server = await startServer(listener)
  const fetcher = openFetcher({
    exempt: server.origin,
    limits: { ...defaultLimits, retries, pageTimeoutMs },
    totalExceeded: () => totalExceeded(defaultLimits),
    signal: new AbortController().signal,
    pace: createHostTurns(8).open(),
    firstRetryMs: 1,
  })
  opened.push(fetcher, server)
  return { fetcher, server }
}

const text = 'the whole text of the answer, '.repeat(2000)
const packed = gzipSync(text)
const plain = { 'content-type': 'text/plain' }

/** Ways to send half of an answer. */
const cuts: [string, (response: ServerResponse) => void][] = [
  [
    'a body shorter than its Content-Length',
    response => {
      response.writeHead(200, { ...plain, 'content-length': text.length }).write(text.slice(0, 9000))
      setTimeout(() => response.destroy(), 5)
    },
  ],
  [
    'a chunked body without its last chunk',
    response => {
      response.writeHead(200, plain).write(text.slice(0, 9000))
      setTimeout(() => response.socket?.end(), 5)
    },
  ],
  [
    'a compressed body that ends in the middle',
    response => {
      response.writeHead(200, { ...plain, 'content-encoding': 'gzip', connection: 'close' })
      response.end(packed.subarray(0, packed.length / 2))
    },
  ],
  ['a connection that is reset', response => response.socket?.resetAndDestroy()],
  ['a status 500', response => response.writeHead(500).end('x')],
  ['a status 408', response => response.writeHead(408).end('x')],
]

describe('an answer that fails is requested again', () => {
  test.each(cuts)('%s', async (_, cut) => {
    let left = 3
    const { fetcher, server } = await start((request, response) => {
      if (request.url === '/fine') return response.end('fine')
      left -= 1
      if (left >= 0) cut(response)
      else response.writeHead(200, plain).end(text)
    })
    await (await fetcher.open(new URL('/fine', server.origin))).drop()
    const answer = await fetcher.open(server.origin)
    expect((await answer.read(1e6)).toString()).toBe(text)
    expect(server.requests).toHaveLength(5)
  })
})

/** Sends one byte of a hundred. */
function sendCut(response: ServerResponse): void {
  response.writeHead(200, { ...plain, 'content-length': 100 }).write('x')
  setTimeout(() => response.destroy(), 5)
}

test('a body that is cut on every attempt is an error', async () => {
  const { fetcher, server } = await start((_, response) => sendCut(response), 2)
  const answer = await fetcher.open(server.origin)
  await expect(answer.read(1000)).rejects.toMatchObject({
    code: 'network',
    message: `the answer of ${server.origin.host} ended early`,
  })
  expect(server.requests).toHaveLength(3)
})

test.each([
  ['that stands still when its time is up is requested again', 5000, 2],
  ['that still arrives when its time is up is not', 50, 1],
])('a body %s', async (_, gapMs, requests) => {
  const { fetcher, server } = await start(
    (_, response) => {
      response.writeHead(200, plain).write('x')
      const timer = setInterval(() => response.write('x'), gapMs)
      response.on('close', () => clearInterval(timer))
    },
    4,
    1500,
  )
  const answer = await fetcher.open(server.origin)
  await expect(answer.read(1000)).rejects.toMatchObject({ code: 'timeout' })
  expect(server.requests).toHaveLength(requests)
})

test('an answer that changes between two attempts is not mixed', async () => {
  let count = 0
  const { fetcher, server } = await start((_, response) => {
    count += 1
    if (count > 1) return response.writeHead(404).end('gone')
    sendCut(response)
  })
  const answer = await fetcher.open(server.origin)
  await expect(answer.read(1000)).rejects.toThrow('changed while it was read')
  expect(count).toBe(2)
})

test.each([
  ['seconds', () => '20'],
  ['a date', () => new Date(Date.now() + 21_000).toUTCString()],
])('the wait that the server asks for is kept by all requests: %s', async (_, retryAfter) => {
  const slept = recordLongSleeps(5000)
  let isBusy = true
  const { fetcher, server } = await start((_request, response) => {
    if (!isBusy) return response.end('x')
    isBusy = false
    response.writeHead(429, { 'retry-after': retryAfter() }).end()
  })
  const statuses = await Promise.all(
    ['/a', '/b'].map(async path => {
      const answer = await fetcher.open(new URL(path, server.origin))
      await answer.drop()
      return answer.status
    }),
  )
  expect(statuses).toEqual([200, 200])
  expect(slept.length).toBeGreaterThan(0)
  for (const ms of slept) expect(Math.round(ms / 1000)).toBeOneOf([19, 20, 21])
  expect(server.requests).toHaveLength(3)
})

test('a host that is down is not asked by the remaining requests', async () => {
  const { fetcher, server } = await start((_, response) => response.destroy())
  const open = () => fetcher.open(server.origin).catch(error => error.code)
  expect(await open()).toBe('network')
  expect(server.requests).toHaveLength(3)
  expect(await Promise.all([open(), open()])).toEqual(['network', 'network'])
  expect(server.requests).toHaveLength(3)
})

test('what the server will never do, and what is not there, is requested once', async () => {
  const { fetcher, server } = await start((request, response) =>
    response.writeHead(Number(request.url?.slice(1))).end(),
  )
  for (const status of [404, 410, 501, 505]) {
    const answer = await fetcher.open(new URL(`/${status}`, server.origin))
    await answer.drop()
    expect(answer.status).toBe(status)
  }
  expect(server.requests).toHaveLength(4)
})
