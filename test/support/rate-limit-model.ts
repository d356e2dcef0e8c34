import { expect } from 'vitest'
import type { Budget, RateLimits } from '../../server/tenancy/rate-limit.ts'
import fc from './fast-check.ts'

/** A request, the true time that passes before it, and by how much the clock is set meanwhile: back if negative. */
interface Moment {
  waitMs: number
  stepMs: number
}

/** A quarter of the moments wait about as long as the window, and half of them for less than a share of it. */
function arbitraryWait({ quota, windowSeconds }: Budget): fc.Arbitrary<number> {
  const windowMs = windowSeconds * 1000
  const share = Math.ceil(windowMs / quota)
  return fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: share }),
    fc.integer({ min: 0, max: 3 * share }),
    fc.integer({ min: windowMs - 2, max: windowMs + 2 }),
  )
}

/** A third of the lists have no step; the steps of the others are as rare as one in eight moments. */
export function arbitraryMoments(budget: Budget, maxLength: number): fc.Arbitrary<Moment[]> {
  const windowMs = budget.windowSeconds * 1000
  const stepMs = fc.oneof(
    { weight: 7, arbitrary: fc.constant(0) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.integer({ min: -9, max: 9 }),
        fc.integer({ min: -3, max: 3 }).map(n => n * windowMs),
      ),
    },
  )
  const moments = (step: fc.Arbitrary<number>) =>
    fc.array(fc.record({ waitMs: arbitraryWait(budget), stepMs: step }), { minLength: 1, maxLength, size: 'max' })
  return fc.oneof(moments(fc.constant(0)), moments(stepMs), moments(stepMs.map(step => Math.min(step, 0))))
}

/**
 * Takes requests at the moments and compares each decision with all requests that were allowed before, by the true time:
 *
 * - In no window are more than the quota allowed. A step forward counts as time that passed, because nobody can tell the two apart.
 * - No request is refused while there is room. After a step, that holds when a window has passed since the next request.
 */
export async function compareWithModel(
  take: RateLimits['take'],
  budget: Budget,
  moments: readonly Moment[],
  startsAt: number,
): Promise<void> {
  const windowMs = budget.windowSeconds * 1000
  /** The true time plus all steps forward. */
  const allowedAt: number[] = []
  let at = startsAt
  let clock = startsAt
  let settlesAt = startsAt
  for (const [i, { waitMs, stepMs }] of moments.entries()) {
    at += waitMs + Math.max(stepMs, 0)
    clock += waitMs + stepMs
    if (stepMs < 0) settlesAt = at + windowMs
    const { allowed, used, untilNextMs } = await take('org_1', budget, () => clock)
    const before = allowedAt.filter(instant => instant > at - windowMs)
    if (at >= settlesAt) expect({ i, allowed }).toEqual({ i, allowed: before.length < budget.quota })
    if (allowed) allowedAt.push(at)
    const inWindow = allowed ? [...before, at] : before
    expect(inWindow.length).toBeLessThanOrEqual(budget.quota)
    expect(used).toBeGreaterThanOrEqual(inWindow.length)
    expect(untilNextMs).toBeGreaterThan(0)
    expect(untilNextMs).toBeLessThanOrEqual(windowMs)
    if (at >= settlesAt)
      expect({ i, used, untilNextMs }).toEqual({
        i,
        used: inWindow.length,
        untilNextMs: (inWindow[0] ?? at) + windowMs - at,
      })
  }
}
