import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { actWhenLate, repeat, startDeadline, withTimeout } from '../../server/base/timer.ts'

beforeEach(() => void vi.useFakeTimers())

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const tooLate = () => new Error('too late')

describe('withTimeout', () => {
  test('gives the result of work that ends in time', async () => {
    expect(await withTimeout(Promise.resolve('done'), 100, tooLate)).toBe('done')
  })

  test('fails with the error of work that fails in time', async () => {
    await expect(withTimeout(Promise.reject(new Error('broken')), 100, tooLate)).rejects.toThrow('broken')
  })

  test('fails when the time is up, and ignores a later failure of the work', async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const failed = expect(withTimeout(promise, 100, tooLate)).rejects.toThrow('too late')
    await vi.advanceTimersByTimeAsync(100)
    await failed
    reject(new Error('nobody waits for this'))
  })

  test.each([
    ['aborts later', 0],
    ['has aborted already', 1],
  ])("fails with the signal's reason when the signal %s", async (_, abortedBefore) => {
    const controller = new AbortController()
    if (abortedBefore) controller.abort(new Error('stopped'))
    const work = withTimeout(new Promise<never>(() => {}), 100, tooLate, controller.signal)
    const failed = expect(work).rejects.toThrow('stopped')
    controller.abort(new Error('stopped'))
    await failed
  })
})

describe('actWhenLate', () => {
  test('does not act when the work ends in time', async () => {
    const act = vi.fn()
    expect(await actWhenLate(Promise.resolve(1), 100, act)).toBe(1)
    expect(act).not.toHaveBeenCalled()
  })

  test('acts once when the work is late, and waits for its end', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const act = vi.fn(() => resolve('ended by the action'))
    const work = actWhenLate(promise, 100, act)
    await vi.advanceTimersByTimeAsync(99)
    expect(act).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(await work).toBe('ended by the action')
    expect(act).toHaveBeenCalledTimes(1)
  })
})

describe('startDeadline', () => {
  test('aborts with the error when the time is up', async () => {
    const { signal } = startDeadline(100, tooLate)
    await vi.advanceTimersByTimeAsync(99)
    expect(signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(signal.reason).toEqual(tooLate())
  })

  test('never aborts once it is cleared', async () => {
    const deadline = startDeadline(100, tooLate)
    deadline.clear()
    await vi.advanceTimersByTimeAsync(1000)
    expect(deadline.signal.aborted).toBe(false)
  })
})

describe('repeat', () => {
  test.each([
    [false, [0, 1, 2, 3]],
    [true, [1, 2, 3, 4]],
  ])('runs every interval, with startsNow: %s', async (startsNow, runs) => {
    const work = vi.fn(async () => {})
    const repetition = repeat(100, work, { startsNow })
    for (const count of runs) {
      expect(work).toHaveBeenCalledTimes(count)
      await vi.advanceTimersByTimeAsync(100)
    }
    await repetition.stop()
  })

  test('skips a run while the one before it has not ended', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = vi.fn(() => promise)
    const repetition = repeat(100, work)
    await vi.advanceTimersByTimeAsync(350)
    expect(work).toHaveBeenCalledTimes(1)
    resolve()
    await vi.advanceTimersByTimeAsync(100)
    expect(work).toHaveBeenCalledTimes(2)
    await repetition.stop()
  })

  test('stops after the current run, and starts none after that', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = vi.fn(() => promise)
    const repetition = repeat(100, work, { startsNow: true })
    let isStopped = false
    const stopping = repetition.stop().then(() => {
      isStopped = true
    })
    await vi.advanceTimersByTimeAsync(500)
    expect(isStopped).toBe(false)
    resolve()
    await stopping
    expect(work).toHaveBeenCalledTimes(1)
  })
})
