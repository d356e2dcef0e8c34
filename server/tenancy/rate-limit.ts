import type { Awaitable } from '../base/awaitable.ts'

/** A rate limit that refills continuously: it allows `quota` requests at once and `quota` more per `windowSeconds`. */
export interface Budget {
  budget: string
  quota: number
  windowSeconds: number
}

/** The state of a rate limit of an organization. */
export interface Arrival {
  /** When the budget is full again: the theoretical arrival time, in milliseconds since 1970. */
  arrivalAt: number
  /** When this state was stored; undefined = by an older version of Quire. */
  storedAt?: number | undefined
}

export interface RateLimits {
  /**
   * Passes an organization's state (undefined if none is stored) to `next`, and stores the result unless it is undefined.
   * Atomic across processes.
   */
  replace(
    organizationId: string,
    budget: string,
    next: (arrival: Arrival | undefined) => Arrival | undefined,
  ): Awaitable<void>
}

export interface RateLimitReader {
  /** Returns the stored state of an organization; undefined = none. */
  find(organizationId: string, budget: string): Awaitable<Arrival | undefined>
}

export interface RateLimitDecision {
  allowed: boolean
  /** `RateLimit`, `RateLimit-Policy` and, if the request is refused, `Retry-After` in whole seconds. */
  headers: Record<string, string>
}

/**
 * Counts one request against an organization's rate limit by the generic cell rate algorithm. The algorithm survives
 * restarts. Unlike fixed windows at their edges, it never allows twice the quota in a window.
 *
 * Header fields: draft-ietf-httpapi-ratelimit-headers-10.
 */
export async function takeRequest(
  limits: RateLimits,
  organizationId: string,
  { budget, quota, windowSeconds }: Budget,
  now: number,
): Promise<RateLimitDecision> {
  const windowMs = windowSeconds * 1000
  const intervalMs = windowMs / quota
  let usedMs = 0
  let allowed = false
  await limits.replace(organizationId, budget, arrival => {
    const before = readUsed(arrival, now)
    usedMs = Math.min(before.usedMs, windowMs)
    allowed = usedMs + intervalMs <= windowMs
    if (allowed) usedMs += intervalMs
    // A state of another clock is replaced even if the request is refused. Otherwise the budget would not refill until the
    // clock is where it was.
    if (!allowed && !before.isOfOtherClock && before.usedMs === usedMs) return undefined
    return { arrivalAt: Math.round(now + usedMs), storedAt: now }
  })
  const remaining = Math.floor((windowMs - usedMs) / intervalMs)
  const untilNextMs = allowed ? usedMs % intervalMs || intervalMs : usedMs + intervalMs - windowMs
  const untilNextSeconds = Math.ceil(untilNextMs / 1000)
  return {
    allowed,
    headers: {
      'RateLimit-Policy': `"${budget}";q=${quota};w=${windowSeconds}`,
      RateLimit: `"${budget}";r=${remaining};t=${untilNextSeconds}`,
      ...(!allowed && { 'Retry-After': String(untilNextSeconds) }),
    },
  }
}

/** Returns how many requests of a budget are used now, without counting one. */
export async function countUsedRequests(
  limits: RateLimitReader,
  organizationId: string,
  { budget, quota, windowSeconds }: Budget,
  now: number,
): Promise<number> {
  const windowMs = windowSeconds * 1000
  const { usedMs } = readUsed(await limits.find(organizationId, budget), now)
  return Math.ceil((Math.min(usedMs, windowMs) * quota) / windowMs)
}

/** Returns how much of the budget is used, as the time until it is full again. */
function readUsed(arrival: Arrival | undefined, now: number): { usedMs: number; isOfOtherClock: boolean } {
  if (!arrival) return { usedMs: 0, isOfOtherClock: false }
  // If the state was stored later than now, the clock was set back. It is unknown how much has refilled since: nothing
  // is assumed.
  const isOfOtherClock = arrival.storedAt !== undefined && arrival.storedAt > now
  const since = isOfOtherClock ? (arrival.storedAt as number) : now
  return { usedMs: Math.max(arrival.arrivalAt - since, 0), isOfOtherClock }
}
