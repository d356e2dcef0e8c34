import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createHostTurns, type Pace, type TurnOutcome } from '../../../server/web/fetch/host-turns.ts'
import { recordLongSleeps } from '../../support/recorded-sleeps.ts'

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
  test('two exports of one host have no more requests under way than one alone', async () => {
    const turns = createHostTurns(2)
    const [a, b] = [turns.open(), turns.open()]
    const asked = [ask(a), ask(b), ask(a), ask(b)]
    await tick()
    expect(begun(asked)).toEqual([true, true, false, false])
    asked[0]?.end()
    await tick()
    expect(begun(asked)).toEqual([true, true, true, false])
  })

  test('exports take turns: one request does not wait for the many of another export', async () => {
    const turns = createHostTurns(1)
    const [many, one] = [turns.open(), turns.open()]
    const first = ask(many)
    const waiting = [...Array(100)].map(() => ask(many))
    const single = ask(one)
    await tick()
    first.end()
    await tick()
    waiting[0]?.end()
    await tick()
    expect([single.hasBegun, waiting.filter(({ hasBegun }) => hasBegun).length]).toEqual([true, 1])
  })

  test('hosts do not wait for each other', async () => {
    const pace = createHostTurns(1).open()
    const asked = [ask(pace), ask(pace, 'cdn.example.com'), ask(pace, 'docs.example.com:8443')]
    await tick()
    expect(begun(asked)).toEqual([true, true, true])
  })

  test('a turn ends once, and a closed export has none', async () => {
    const turns = createHostTurns(1)
    const [a, b] = [turns.open(), turns.open()]
    const first = ask(a)
    await tick()
    first.end()
    first.end()
    const second = ask(a)
    const [third, fourth] = [ask(b), ask(b)]
    await tick()
    expect(begun([second, third, fourth])).toEqual([true, false, false])
    a.close()
    await tick()
    expect(begun([third, fourth])).toEqual([true, false])
    second.end()
    await tick()
    expect(fourth.hasBegun).toBe(false)
  })

  test('a request that is aborted leaves the queue', async () => {
    const pace = createHostTurns(1).open()
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

  test('the operator gets more requests at once than others, and what was learned is remembered', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const turns = createHostTurns(64)
    const [other, own] = [turns.open(() => false), turns.open(() => true)]
    expect(await load(other, 60)).toBe(16)
    expect(await load(own, 120)).toBeGreaterThan(16)
    const asked = Array.from({ length: 40 }, () => ask(own))
    await vi.advanceTimersByTimeAsync(1)
    expect(begun(asked).filter(Boolean).length).toBeGreaterThan(16)
  })

  test('an overloaded host gets half', async () => {
    const pace = createHostTurns(64).open()
    const before = Array.from({ length: 8 }, () => ask(pace))
    await tick()
    for (const { end } of before) end('overloaded')
    const after = Array.from({ length: 8 }, () => ask(pace))
    await tick()
    expect(begun(after).filter(Boolean)).toHaveLength(4)
  })

  test('a paused host gets none, and other hosts do not wait', async () => {
    const slept = recordLongSleeps(5000)
    const pace = createHostTurns(8).open()
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
  test('holds for two exports of one host together', async () => {
    const slept = recordLongSleeps(5000)
    const turns = createHostTurns(8)
    const paces = [turns.open(), turns.open()]
    await Promise.all(
      paces.flatMap(pace => {
        pace.slowDown(host, 9000)
        return [0, 1].map(async () => {
          const end = await pace.turn(host, signal)
          end()
        })
      }),
    )
    expect(slept.map(ms => Math.round(ms / 9000))).toEqual([1, 1, 1])
    expect(paces[0]?.delays()).toEqual([[host, 9000]])
  })

  test('does not hold up an export without it', async () => {
    const turns = createHostTurns(8)
    const [slow, fast] = [turns.open(), turns.open()]
    slow.slowDown(host, 10_000)
    const aborting = new AbortController()
    const asked = [ask(slow), ask(slow, host, aborting.signal), ask(fast), ask(fast)]
    await tick()
    expect(begun(asked)).toEqual([true, false, true, true])
    aborting.abort()
  })
})
