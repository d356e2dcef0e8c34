import { expect, test } from 'vitest'
import { FetchError } from '../../../server/web/fetch/fetch-error.ts'
import { type Attempts, createHostHealth } from '../../../server/web/fetch/host-health.ts'
import type { FailureKind } from '../../../server/web/fetch/retry.ts'

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
