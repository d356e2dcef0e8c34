import { expect, test } from 'vitest'
import { type Arrival, countRequest, type RateLimits, takeRequest } from '../../server/tenancy/rate-limit.ts'

const budget = { budget: 'analytics', quota: 100, windowSeconds: 3600 }
const now = Date.UTC(2026, 10, 20)

function inMemory(): RateLimits {
  const arrivals = new Map<string, Arrival>()
  return {
    take(organizationId, given, now) {
      const key = `${organizationId} ${given.budget}`
      const { next, ...taken } = countRequest(arrivals.get(key), given, now)
      if (next) arrivals.set(key, next)
      return taken
    },
  }
}

test('lets 100 requests through at once and refuses the next', async () => {
  const limits = inMemory()
  for (let i = 1; i <= 100; i++) {
    const { allowed, headers } = await takeRequest(limits, 'org_1', budget, now)
    expect(allowed).toBe(true)
    expect(headers).toEqual({
      'RateLimit-Policy': '"analytics";q=100;w=3600',
      RateLimit: `"analytics";r=${100 - i};t=36`,
    })
  }
  const { allowed, headers } = await takeRequest(limits, 'org_1', budget, now)
  expect(allowed).toBe(false)
  expect(headers).toMatchObject({ RateLimit: '"analytics";r=0;t=36', 'Retry-After': '36' })
})

test('allows one more request every 36 seconds', async () => {
  const limits = inMemory()
  for (let i = 0; i < 100; i++) await takeRequest(limits, 'org_1', budget, now)
  expect((await takeRequest(limits, 'org_1', budget, now + 35_999)).allowed).toBe(false)
  expect((await takeRequest(limits, 'org_1', budget, now + 36_000)).allowed).toBe(true)
  expect((await takeRequest(limits, 'org_1', budget, now + 36_001)).allowed).toBe(false)
})

test('lets 199 through in an hour, and never more', async () => {
  const limits = inMemory()
  let passed = 0
  for (let ms = 0; ms < 3_600_000; ms += 5_000) {
    if ((await takeRequest(limits, 'org_1', budget, now + ms)).allowed) passed++
  }
  expect(passed).toBe(199)
})

test('counts each organization separately', async () => {
  const limits = inMemory()
  for (let i = 0; i < 100; i++) await takeRequest(limits, 'org_1', budget, now)
  expect((await takeRequest(limits, 'org_2', budget, now)).allowed).toBe(true)
})

test('waits no longer than the window after the clock was set back', async () => {
  const limits = inMemory()
  for (let i = 0; i < 100; i++) await takeRequest(limits, 'org_1', budget, now)
  const dayBefore = now - 24 * 3_600_000
  expect((await takeRequest(limits, 'org_1', budget, dayBefore)).headers['Retry-After']).toBe('36')
})
