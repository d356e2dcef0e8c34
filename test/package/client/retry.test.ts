import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findWait, growWait, readRetryAfter } from '../../../spec/package/client/retry.ts'
import { openScripted, refuse, type Scripted } from './scripted-client.ts'

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-22T10:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const job = { params: { path: { jobId: 'se_0f3c9a1b2d4e5f60' } } }
const found = Response.json({ status: 'running' })
const busy = refuse(503, 'busy', { 'Retry-After': '2' })
const broken = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:8787') })

/** Lets all timers run, and returns what the promise became. */
async function settle<T>(promise: Promise<T>): Promise<T | Error> {
  const settled = promise.catch((error: Error) => error)
  await vi.runAllTimersAsync()
  return settled
}

test.each<{ given: string; script: Scripted[]; times: number[] }>([
  { given: '503 with Retry-After: 2', script: [busy, found], times: [0, 2000] },
  {
    given: '429 with Retry-After as a date',
    script: [refuse(429, 'spent', { 'Retry-After': 'Sun, 22 Nov 2026 10:00:05 GMT' }), found],
    times: [0, 5000],
  },
  { given: 'two 503', script: [busy, busy, found], times: [0, 2000, 4000] },
  { given: 'a third 503, which is the last attempt', script: [busy], times: [0, 2000, 4000] },
  { given: 'Retry-After beyond the cap', script: [refuse(429, 'spent', { 'Retry-After': '36' })], times: [0] },
  { given: '429 without Retry-After', script: [refuse(429, 'spent')], times: [0] },
  { given: 'a 404', script: [refuse(404, 'unknown')], times: [0] },
  { given: 'a 500', script: [refuse(500, 'fault')], times: [0] },
])('a GET that gets $given is sent at $times', async ({ script, times }) => {
  const scripted = openScripted(script)
  await settle(scripted.client.getStaticExportJob(job))
  expect(scripted.times).toEqual(times)
})

test('a GET without an answer is sent three times, each wait about twice the one before', async () => {
  const { client, times } = openScripted([broken])
  expect(await settle(client.getStaticExportJob(job))).toMatchObject({
    name: 'QuireError',
    message: 'getStaticExportJob: no answer: connect ECONNREFUSED 127.0.0.1:8787.',
    status: undefined,
  })
  expect(times).toHaveLength(3)
  expect(times[1]).toBeGreaterThanOrEqual(375)
  expect(times[1]).toBeLessThanOrEqual(500)
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(750)
})

test('an answer that breaks off is requested again', async () => {
  const half = () =>
    new Response(
      new ReadableStream({
        start(stream) {
          stream.enqueue(new TextEncoder().encode('{"status":'))
          stream.error(new Error('other side closed'))
        },
      }),
    )
  const { client, requests } = openScripted([half, found])
  expect(await settle(client.getStaticExportJob(job))).toMatchObject({ status: 200, data: { status: 'running' } })
  expect(requests).toHaveLength(2)
})

describe('a POST', () => {
  const start = { body: { domain: 'docs.example.com' } }
  const withKey = { ...start, params: { header: { 'Idempotency-Key': 'release-1' } } }

  test.each<{ given: string; script: Scripted[] }>([
    { given: 'a 503', script: [busy, found] },
    { given: 'no answer', script: [broken, found] },
  ])('starts nothing twice after $given', async ({ script }) => {
    const { client, requests } = openScripted(script)
    await settle(client.startStaticExportJob(start))
    expect(requests).toHaveLength(1)
  })

  test('is sent again with the same key and body if it has an Idempotency-Key', async () => {
    const { client, requests } = openScripted([broken, busy, Response.json({ jobId: 'se_1' }, { status: 202 })])
    expect(await settle(client.startStaticExportJob(withKey))).toMatchObject({ status: 202 })
    const sent = await Promise.all(
      requests.map(async request => [request.headers.get('Idempotency-Key'), await request.json()]),
    )
    expect(sent).toEqual(Array(3).fill(['release-1', { domain: 'docs.example.com' }]))
  })

  test('for a link is sent once', async () => {
    const { client, requests } = openScripted([busy])
    await settle(client.generateStaticExportBundle(job))
    expect(requests).toHaveLength(1)
  })
})

test('attempts: 1 sends everything once, and a higher cap waits longer', async () => {
  const once = openScripted([busy], { retry: { attempts: 1 } })
  await settle(once.client.getStaticExportJob(job))
  expect(once.times).toEqual([0])
  const patient = openScripted([refuse(429, 'spent', { 'Retry-After': '36' }), found], { retry: { maxWaitMs: 60_000 } })
  await settle(patient.client.getStaticExportJob(job))
  expect(patient.times).toEqual([0, 36_000])
})

test('an aborted signal ends a wait at once, with its reason', async () => {
  const { client, requests } = openScripted([busy])
  const abort = new AbortController()
  const answer = client.getStaticExportJob({ ...job, signal: abort.signal }).catch(error => error)
  await vi.advanceTimersByTimeAsync(1000)
  abort.abort(new Error('the page was closed'))
  expect(await answer).toBe(abort.signal.reason)
  expect(requests).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('a server that hangs fails after the timeout, and is not asked again', async () => {
  const hang = (request: Request) =>
    new Promise<Response>((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)))
  const { client, requests } = openScripted([hang])
  expect(await settle(client.getStaticExportJob(job))).toMatchObject({
    name: 'QuireError',
    message: 'getStaticExportJob: the server did not answer within 30 seconds.',
  })
  expect(requests).toHaveLength(1)
})

test.each([
  ['7', 7000],
  [' 0 ', 0],
  ['Sun, 22 Nov 2026 10:00:01 GMT', 1000],
  ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  ['', undefined],
])('reads Retry-After: %j as %j', (text, wanted) => {
  expect(readRetryAfter(new Headers({ 'Retry-After': text }))).toBe(wanted)
})

test('a missing Retry-After is no wait of zero', () => {
  expect(readRetryAfter(new Headers())).toBeUndefined()
  expect(findWait({ status: 503, retryAfterMs: undefined }, 1, { attempts: 3, maxWaitMs: 10_000 })).toBeGreaterThan(0)
  expect(growWait(3)).toBeGreaterThan(1000)
})
