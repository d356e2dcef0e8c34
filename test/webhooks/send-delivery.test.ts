import { expect, test } from 'vitest'
import { planRetry } from '../../server/webhooks/send-delivery.ts'

const [second, minute, hour] = [1000, 60_000, 3_600_000]
const failure = { responseStatus: 500, error: 'The receiver answered 500.' }
const plan = (attempts: number, { sinceFirst = 0, random = 0.5, retryAfterMs = null as number | null } = {}) =>
  planRetry(
    { now: () => sinceFirst, random: () => random },
    { delivery: { attempts }, firstAttemptAt: 0 },
    failure,
    retryAfterMs,
  )

test.each([
  [1, 5 * second],
  [2, 5 * minute],
  [3, 30 * minute],
  [4, 2 * hour],
  [5, 5 * hour],
  [6, 10 * hour],
  [7, 10 * hour],
  [70, 10 * hour],
])('after attempt %i, the wait is %i ms', (attempts, delayMs) => {
  expect(plan(attempts)).toEqual({ ...failure, status: 'pending', delayMs })
  expect(plan(attempts, { random: 0 })).toMatchObject({ delayMs: delayMs * 0.9 })
  expect(plan(attempts, { random: 1 })).toMatchObject({ delayMs: delayMs * 1.1 })
})

test('Retry-After replaces the wait, and is at least 5 seconds', () => {
  expect(plan(4, { retryAfterMs: minute })).toMatchObject({ delayMs: minute })
  expect(plan(1, { retryAfterMs: hour })).toMatchObject({ delayMs: hour })
  expect(plan(4, { retryAfterMs: 0 })).toMatchObject({ delayMs: 5 * second })
})

test('the last attempt is 3 days after the first, and then the delivery is given up', () => {
  expect(plan(9, { sinceFirst: 70 * hour })).toMatchObject({ status: 'pending', delayMs: 2 * hour })
  expect(plan(10, { sinceFirst: 72 * hour })).toEqual({ ...failure, status: 'failed' })
})
