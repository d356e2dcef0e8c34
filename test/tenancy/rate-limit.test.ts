import { describe, expect, test } from 'vitest'
import {
  type CountedRequests,
  countRequest,
  createByteLimit,
  type RateLimits,
  takeRequest,
} from '../../server/tenancy/rate-limit.ts'
import fc from '../support/fast-check.ts'
import { arbitraryMoments, compareWithModel } from '../support/rate-limit-model.ts'

const budget = { budget: 'analytics', quota: 100, windowSeconds: 3600 }
const now = Date.UTC(2026, 10, 20)
const hourMs = 3_600_000
const dayMs = 24 * hourMs

function inMemory(): RateLimits {
  const requests = new Map<string, CountedRequests>()
  return {
    take(organizationId, given, now) {
      const key = `${organizationId} ${given.budget}`
      const { next, ...taken } = countRequest(requests.get(key) ?? [], given, now())
      if (next) requests.set(key, next)
      return taken
    },
  }
}

/** Returns a limiter of one organization. */
function createLimiter() {
  const limits = inMemory()
  const take = (at: number, organizationId = 'org_1') => takeRequest(limits, organizationId, budget, () => at)
  const takeMany = async (count: number, at: (i: number) => number) => {
    let allowed = 0
    for (let i = 0; i < count; i++) if ((await take(at(i))).allowed) allowed++
    return allowed
  }
  return { take, takeMany }
}

test('lets 100 requests through at once and refuses the next', async () => {
  const { take } = createLimiter()
  for (let i = 1; i <= 100; i++) {
    expect(await take(now)).toEqual({
      allowed: true,
      headers: { 'RateLimit-Policy': '"analytics";q=100;w=3600', RateLimit: `"analytics";r=${100 - i};t=3600` },
    })
  }
  expect(await take(now)).toEqual({
    allowed: false,
    headers: {
      'RateLimit-Policy': '"analytics";q=100;w=3600',
      RateLimit: '"analytics";r=0;t=3600',
      'Retry-After': '3600',
    },
  })
})

test.each([
  { title: 'one every 5 seconds', everyMs: 5000 },
  { title: 'one every 18 seconds', everyMs: 18_000 },
  { title: 'one every 35.999 seconds', everyMs: 35_999 },
])('lets 100 through in the first hour: $title', async ({ everyMs }) => {
  const { takeMany } = createLimiter()
  expect(await takeMany(Math.ceil(hourMs / everyMs), i => now + i * everyMs)).toBe(100)
})

test('lets every request through if there is one every 36 seconds', async () => {
  const { takeMany } = createLimiter()
  expect(await takeMany(500, i => now + i * 36_000)).toBe(500)
})

describe('a request counts for an hour after it was made', () => {
  test.each([
    { afterMs: 1000, allowed: 0, retryAfter: '3599' },
    { afterMs: hourMs - 1000, allowed: 0, retryAfter: '1' },
    { afterMs: hourMs - 1, allowed: 0, retryAfter: '1' },
    { afterMs: hourMs, allowed: 1, retryAfter: '1' },
    { afterMs: hourMs + 500, allowed: 1, retryAfter: '1' },
    { afterMs: hourMs + 1000, allowed: 100, retryAfter: '3600' },
  ])('$afterMs ms after it: $allowed more', async ({ afterMs, allowed, retryAfter }) => {
    const { take, takeMany } = createLimiter()
    await take(now)
    await takeMany(99, () => now + 1000)
    expect(await takeMany(100, () => now + afterMs)).toBe(allowed)
    expect((await take(now + afterMs)).headers['Retry-After']).toBe(retryAfter)
  })
})

test('counts each organization separately', async () => {
  const { take, takeMany } = createLimiter()
  await takeMany(100, () => now)
  expect((await take(now, 'org_2')).allowed).toBe(true)
})

describe('a clock that is set back', () => {
  test('neither gives requests back nor keeps anybody waiting for longer than the window', async () => {
    const { take, takeMany } = createLimiter()
    await takeMany(100, () => now)
    const back = now - dayMs
    expect((await take(back)).headers['Retry-After']).toBe('3600')
    expect(await takeMany(100, i => back + i * 35_000)).toBe(0)
    expect(await takeMany(200, () => back + hourMs)).toBe(100)
  })

  test('keeps the distances between the requests', async () => {
    const { take, takeMany } = createLimiter()
    await takeMany(50, () => now)
    await takeMany(50, () => now + 600_000)
    expect((await take(now - dayMs)).headers['Retry-After']).toBe('3000')
    expect(await takeMany(100, () => now - dayMs + 3_000_000)).toBe(50)
  })

  test('and is set right again gives no more than a server that was off meanwhile', async () => {
    const { takeMany } = createLimiter()
    await takeMany(60, () => now)
    await takeMany(30, () => now - dayMs)
    expect(await takeMany(200, () => now)).toBe(100)
    expect(await takeMany(200, () => now - dayMs)).toBe(0)
  })
})

test('is as exact as a list of all requests, whatever the clock does', async () => {
  const budgets = [
    budget,
    { budget: 'few', quota: 3, windowSeconds: 10 },
    { budget: 'one', quota: 1, windowSeconds: 60 },
  ]
  for (const given of budgets) {
    await fc.assert(
      fc.asyncProperty(arbitraryMoments(given, 400), moments => compareWithModel(inMemory().take, given, moments, now)),
      { numRuns: 150 },
    )
  }
})

describe('a limit of bytes', () => {
  const megabyte = 1024 * 1024

  test('refuses what is sent after the last megabyte, until the first leaves the window', async () => {
    let at = now
    const limit = createByteLimit(inMemory(), 2, () => at)
    const send = async (bytes: number) => {
      const wait = await limit.findWaitSeconds('org_1')
      if (wait === 0) limit.add('org_1', bytes)
      return wait
    }
    for (let i = 0; i < 8; i++) expect(await send(megabyte / 4)).toBe(0)
    at += 60_000
    expect(await send(16 * megabyte)).toBe(0)
    at += 60_000
    expect(await send(1)).toBe(3480)
    expect(await limit.findWaitSeconds('org_2')).toBe(0)
    // The 16 megabytes are counted 2 an hour.
    for (let hours = 1; hours <= 8; hours++) {
      at += hourMs
      expect(await send(1)).toBe(hours < 8 ? 3600 : 0)
    }
  })

  test('counts the bytes of requests at the same time once', async () => {
    const limit = createByteLimit(inMemory(), 2, () => now)
    limit.add('org_1', 2 * megabyte)
    expect(await Promise.all([1, 2, 3].map(() => limit.findWaitSeconds('org_1')))).toEqual([0, 0, 0])
    limit.add('org_1', megabyte)
    expect(await limit.findWaitSeconds('org_1')).toBe(3600)
  })
})
