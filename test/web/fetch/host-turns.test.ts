import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AdaptiveLimit, createPace, type Pace, type TurnOutcome } from '../../../server/web/fetch/host-turns.ts'
import { recordLongSleeps } from '../../support/recorded-sleeps.ts'

/** The turns of an export that shares the host with others. */
const open = (maxRequests: number, exports = 1) =>
  createPace({ maxRequests: () => Math.floor(maxRequests / exports), exports: () => exports })

const { signal } = new AbortController()
const host = 'docs.example.com'

/** Asks for a turn, and returns whether it has come and how to end it. */
function ask(pace: Pace, at = host, aborted = signal) {
  const asked = { hasBegun: false, error: undefined as unknown, end: (_outcome?: TurnOutcome) => {} }
  pace.turn(at, aborted).then(
    end => Object.assign(asked, { hasBegun: true, end }),
    error => Object.assign(asked, { error }),
  )
  return asked
}
const tick = (ms = 0) => new Promise(done => setTimeout(done, ms))
const begun = (asked: { hasBegun: boolean }[]) => asked.map(({ hasBegun }) => hasBegun)

describe('parallel requests', () => {
  test('no more requests are under way than allowed, and they begin in their order', async () => {
    const pace = open(2)
    const asked = [ask(pace), ask(pace), ask(pace), ask(pace)]
    await tick()
    expect(begun(asked)).toEqual([true, true, false, false])
    asked[0]?.end()
    await tick()
    expect(begun(asked)).toEqual([true, true, true, false])
  })

  test('when another export of the host begins, fewer requests are under way', async () => {
    let exports = 1
    const pace = createPace({ maxRequests: () => 4 / exports, exports: () => exports })
    const asked = Array.from({ length: 8 }, () => ask(pace))
    await tick()
    expect(begun(asked).filter(Boolean)).toHaveLength(4)
    exports = 2
    ask(pace)
    for (const { end } of asked.slice(0, 3)) end()
    await tick()
    expect(begun(asked).filter(Boolean)).toHaveLength(5)
  })

  test('hosts do not wait for each other', async () => {
    const pace = open(1)
    const asked = [ask(pace), ask(pace, 'cdn.example.com'), ask(pace, 'docs.example.com:8443')]
    await tick()
    expect(begun(asked)).toEqual([true, true, true])
  })

  test('a turn ends once', async () => {
    const pace = open(1)
    const [first, second, third] = [ask(pace), ask(pace), ask(pace)]
    await tick()
    first.end()
    first.end()
    await tick()
    expect(begun([second, third])).toEqual([true, false])
  })

  test('a request that is aborted leaves the queue', async () => {
    const pace = open(1)
    const aborting = new AbortController()
    const [first, second, third] = [ask(pace), ask(pace, host, aborting.signal), ask(pace)]
    await tick()
    aborting.abort(new Error('stopped'))
    first.end()
    await tick()
    expect(second).toMatchObject({ hasBegun: false, error: new Error('stopped') })
    expect(third.hasBegun).toBe(true)
  })
})

describe('what a host can take', () => {
  /** Sends requests whose answers each take 150 ms, as many at once as may begin. Returns the most at once. */
  async function load(pace: Pace, count: number): Promise<number> {
    let open = 0
    let most = 0
    const loading = Promise.all(
      Array.from({ length: count }, async () => {
        const end = await pace.turn(host, signal)
        open += 1
        most = Math.max(most, open)
        await tick(150)
        open -= 1
        end('answered')
      }),
    )
    await vi.advanceTimersByTimeAsync(150 * count)
    await loading
    return most
  }

  test('a host that answers as fast as before gets more requests at once, up to the limit', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    expect(await load(open(16), 60)).toBe(16)
    expect(await load(open(64), 120)).toBeGreaterThan(16)
  })

  test('an overloaded host gets half', async () => {
    const pace = open(64)
    const before = Array.from({ length: 8 }, () => ask(pace))
    await tick()
    for (const { end } of before) end('overloaded')
    const after = Array.from({ length: 8 }, () => ask(pace))
    await tick()
    expect(begun(after).filter(Boolean)).toHaveLength(4)
  })

  test('a paused host gets none, and other hosts do not wait', async () => {
    const slept = recordLongSleeps(5000)
    const pace = open(8)
    pace.pause(host, 20_000)
    const other = ask(pace, 'cdn.example.com')
    const paused = ask(pace)
    expect(paused.hasBegun).toBe(false)
    await tick()
    expect([other.hasBegun, paused.hasBegun]).toEqual([true, true])
    expect(slept.map(ms => Math.round(ms / 1000))).toEqual([20])
  })
})

describe('the delay of robots.txt', () => {
  test('holds for each request, and longer when other exports keep the delay of the host too', async () => {
    const slept = recordLongSleeps(5000)
    for (const exports of [1, 3]) {
      const pace = open(8, exports)
      pace.slowDown(host, 9000)
      for (let i = 0; i < 2; i += 1) (await pace.turn(host, signal))()
      expect(pace.delays()).toEqual([[host, 9000]])
    }
    expect(slept.map(ms => Math.round(ms / 9000))).toEqual([1, 3])
  })

  test('does not hold up other hosts', async () => {
    const pace = open(8)
    pace.slowDown(host, 10_000)
    const aborting = new AbortController()
    const asked = [ask(pace), ask(pace, host, aborting.signal), ask(pace, 'cdn.example.com')]
    await tick()
    expect(begun(asked)).toEqual([true, false, true])
    aborting.abort()
  })
})

function allowing(max: number): AdaptiveLimit {
  const limit = new AdaptiveLimit()
  limit.allow(max)
  return limit
}

interface Host {
  /** Processor time of one answer. Answers wait for each other. */
  workMs?: number
  /** Time on the way. Answers do not wait for each other. */
  delayMs?: number
  /** Parallel requests that are answered; others get 503. */
  most?: number
}

/** Sends requests to a host in simulated time, as many at once as the limit allows. Returns what was measured. */
function load(
  limit: AdaptiveLimit,
  { workMs = 0, delayMs = 0, most = Number.POSITIVE_INFINITY }: Host,
  requests: number,
) {
  let nowMs = 0
  let freeAtMs = 0
  let left = requests
  let refused = 0
  const open: { beganMs: number; endsMs: number; outcome: TurnOutcome }[] = []
  const limits: number[] = []
  while (left > 0 || open.length > 0) {
    while (left > 0 && open.length < limit.limit) {
      left -= 1
      const isRefused = open.filter(({ endsMs }) => endsMs > nowMs).length >= most
      freeAtMs = Math.max(freeAtMs, nowMs) + (isRefused ? 0 : workMs)
      const endsMs = isRefused ? nowMs + delayMs + 1 : freeAtMs + delayMs
      open.push({ beganMs: nowMs, endsMs, outcome: isRefused ? 'overloaded' : 'answered' })
    }
    if (left === 0 && open.length < limit.limit) limit.noteIdle()
    open.sort((a, b) => a.endsMs - b.endsMs)
    const next = open.shift()
    if (!next) break
    nowMs = next.endsMs
    if (next.outcome === 'overloaded') refused += 1
    limit.end(next.outcome, next.beganMs, nowMs)
    limits.push(limit.limit)
  }
  return { seconds: nowMs / 1000, limits, refused }
}

describe('parallel requests', () => {
  test('grow on a host that only takes long: 500 answers of 200 ms in little more than two seconds', () => {
    const { seconds, limits } = load(allowing(64), { delayMs: 200 }, 500)
    expect([...new Set(limits)].slice(0, 4)).toEqual([8, 16, 32, 64])
    expect(seconds).toBeLessThan(2.7)
  })

  test('never exceed the maximum', () => {
    expect(Math.max(...load(allowing(20), { delayMs: 200 }, 500).limits)).toBe(20)
    expect(new Set(load(allowing(2), { delayMs: 200 }, 100).limits)).toEqual(new Set([2]))
  })

  test('stay low on a host that answers one after the other, which then takes no longer', () => {
    const { seconds, limits } = load(allowing(64), { workMs: 20 }, 2000)
    expect(seconds).toBeCloseTo(40, 1)
    expect(Math.max(...limits)).toBeLessThanOrEqual(16)
    expect(limits.filter(limit => limit > 8).length).toBeLessThan(200)
  })

  test('fall when answers become slow without being more', () => {
    const limit = allowing(64)
    load(limit, { workMs: 1, delayMs: 50 }, 2000)
    const before = limit.limit
    const { limits } = load(limit, { workMs: 40 }, 3000)
    expect(before).toBeGreaterThan(16)
    expect(limits.at(-1)).toBeLessThanOrEqual(8)
  })

  test('grow to what a host of several processors can do, and no further', () => {
    const { limits } = load(allowing(64), { workMs: 10, delayMs: 200 }, 3000)
    expect(Math.max(...limits.slice(-500))).toBeLessThanOrEqual(32)
    expect(Math.min(...limits.slice(-500))).toBeGreaterThanOrEqual(16)
  })

  test('fall by half when the host refuses, and grow slowly again', () => {
    const { limits, refused } = load(allowing(64), { delayMs: 100, most: 12 }, 3000)
    expect(refused).toBeLessThan(150)
    const last = limits.slice(-1000)
    expect(Math.max(...last)).toBeLessThanOrEqual(14)
    expect(Math.min(...last)).toBeGreaterThanOrEqual(5)
  })

  test('a burst of refusals halves the limit once, and a host that refuses everything gets one at a time', () => {
    const limit = allowing(64)
    for (let at = 0; at < 8; at += 1) limit.end('overloaded', 0, 10 + at)
    expect(limit.limit).toBe(4)
    load(limit, { most: 0 }, 100)
    expect(limit.limit).toBe(1)
  })

  test('grow after the first answers to many requests, whatever came before', () => {
    const limit = allowing(64)
    const endAll = (beganMs: number, count: number) => {
      for (let at = 0; at < count; at += 1) limit.end('answered', beganMs, beganMs + 200)
    }
    limit.noteIdle()
    endAll(0, 3)
    // Two requests that began alone end in the round of those that wait for each other.
    limit.noteFull(400)
    endAll(300, 2)
    endAll(400, 7)
    expect(limit.limit).toBe(8)
    endAll(400, 1)
    expect(limit.limit).toBe(16)
  })

  test('an export with few requests at once learns nothing', () => {
    const limit = allowing(64)
    for (let at = 0; at < 100; at += 1) {
      limit.noteIdle()
      limit.end('answered', at * 50, at * 50 + 50)
    }
    expect([limit.limit, limit.isNew]).toEqual([8, true])
  })
})
