import type { RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { defaultLimits, totalExceeded } from '../../../server/export/model/limits.ts'
import { type FailureKind, FetchError } from '../../../server/web/fetch/fetch-error.ts'
import { type Attempts, createHostHealth, type Fetcher, openFetcher } from '../../../server/web/fetch/fetcher.ts'
import { createPace } from '../../../server/web/fetch/host-turns.ts'
import { type RunningServer, startServer } from '../../export/static-server.ts'
import { recordLongSleeps } from '../../support/recorded-sleeps.ts'

// A long file: when a failed request is sent again, in simulated time and at real servers.

const host = 'docs.example.com'
const error = new FetchError('network', `no server listens at ${host}`)

/** A host whose clock goes forward by the waits and the pauses. */
function watch({ retries = 4, pageTimeoutMs = 30_000 } = {}) {
  let nowMs = 0
  const pauses: number[] = []
  const health = createHostHealth({
    retries,
    pageTimeoutMs,
    pause: (_, ms) => void pauses.push(ms),
    now: () => nowMs,
    random: () => 1,
  })
  const begin = (): Attempts => ({ count: 0, sentAtMs: nowMs, spentMs: 0 })
  return {
    health,
    pauses,
    begin,
    pass: (ms: number) => {
      nowMs += ms
    },
    now: () => nowMs,
    fail(attempts: Attempts, kind: FailureKind, { tookMs = 0, retryAfterMs = null as number | null } = {}) {
      attempts.sentAtMs = nowMs
      nowMs += tookMs
      return health.noteFailure(host, { kind, error, retryAfterMs }, attempts)
    },
  }
}

/** Fails until no retry is left. Returns the waits. */
function failAlways(watched: ReturnType<typeof watch>, kind: FailureKind, how = {}): number[] {
  const attempts = watched.begin()
  const waits: number[] = []
  for (;;) {
    const waitMs = watched.fail(attempts, kind, how)
    if (waitMs === null) return waits
    waits.push(waitMs)
    watched.pass(waitMs)
  }
}

test('a page of a host that works is requested four times more', () => {
  const watched = watch()
  watched.health.noteAnswer(host)
  expect(failAlways(watched, 'passing')).toEqual([400, 1200, 3600, 10_800])
  expect(watched.pauses).toEqual([])
  expect(() => watched.health.check(host)).not.toThrow()
})

test('a host that never answered is given up soon, and then asked no more', () => {
  const watched = watch()
  expect(failAlways(watched, 'connection')).toEqual([400, 1200])
  expect(() => watched.health.check(host)).toThrow(error.message)
  expect(() => watched.health.check('other.example.com')).not.toThrow()
})

test('a host that answers nothing but errors is still asked', () => {
  const watched = watch()
  expect(failAlways(watched, 'passing')).toEqual([400, 1200])
  expect(() => watched.health.check(host)).not.toThrow()
})

test('a request that runs into its time limit is repeated once', () => {
  const watched = watch()
  watched.health.noteAnswer(host)
  expect(failAlways(watched, 'connection', { tookMs: 30_000 })).toEqual([400])
})

test('a host that goes down is given up within two time limits, and one that comes back is not', () => {
  const watched = watch({ pageTimeoutMs: 5000 })
  watched.health.noteAnswer(host)
  for (const comesBack of [true, false]) {
    const failedFrom = watched.now()
    const isDown = () => {
      try {
        watched.health.check(host)
        return false
      } catch {
        return true
      }
    }
    while (!isDown() && watched.now() - failedFrom < (comesBack ? 9000 : 60_000)) {
      watched.fail(watched.begin(), 'connection')
      watched.pass(watched.pauses.at(-1) ?? 0)
    }
    expect(isDown()).toBe(!comesBack)
    if (!comesBack) expect(watched.now() - failedFrom).toBeLessThan(10_000 + 2 * 5000)
    watched.health.noteAnswer(host)
  }
})

test('pauses grow while a host fails, once per pause, and end with a good answer', () => {
  const watched = watch()
  watched.health.noteAnswer(host)
  const sentBefore = watched.begin()
  for (let count = 0; count < 4; count += 1) {
    watched.fail(watched.begin(), 'gateway')
    watched.pass(1)
  }
  expect(watched.pauses).toEqual([400, 1200])
  watched.health.noteFailure(host, { kind: 'gateway', error, retryAfterMs: null }, sentBefore)
  expect(watched.pauses).toEqual([400, 1200])
  for (let count = 0; count < 2; count += 1) watched.fail(watched.begin(), 'gateway')
  expect(watched.pauses).toEqual([400, 1200, 3600, 5000])
  watched.health.noteAnswer(host)
  watched.fail(watched.begin(), 'gateway')
  expect(watched.pauses).toHaveLength(4)
})

test('a wait that the server asks for holds for the whole host, and allows more retries', () => {
  const watched = watch({ retries: 2, pageTimeoutMs: 1000 })
  watched.health.noteAnswer(host)
  const waits = failAlways(watched, 'busy', { retryAfterMs: 20_000 })
  expect(waits).toHaveLength(6)
  expect(new Set(waits)).toEqual(new Set([20_000]))
  expect(watched.pauses.slice(0, 5)).toEqual(waits.slice(0, 5))
})

test('a host has 200 retries, and one more for each four good answers', () => {
  const watched = watch({ retries: 1 })
  watched.health.noteAnswer(host)
  const countRetries = () => {
    let count = 0
    while (failAlways(watched, 'passing').length > 0) count += 1
    return count
  }
  expect(countRetries()).toBe(200)
  for (let count = 0; count < 40; count += 1) watched.health.noteAnswer(host)
  expect(countRetries()).toBe(10)
})

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
    pace: createPace({ maxRequests: () => 8, exports: () => 1 }),
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
