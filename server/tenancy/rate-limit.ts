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
   * Counts a request of an organization if its budget has room for it. Atomic across processes.
   *
   * @param now the clock of this process. A store that is shared by machines uses its own clock instead.
   */
  take(organizationId: string, budget: Budget, now: number): Awaitable<Taken>
}

export interface Taken {
  allowed: boolean
  /** How much of the budget is used afterwards, as the time until it is full again. */
  usedMs: number
}

export interface RateLimitReader {
  /** Returns how much of the budget is used, as `Taken.usedMs`, without counting a request. `now` is that of `RateLimits.take`. */
  findUsed(organizationId: string, budget: Budget, now: number): Awaitable<number>
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
  given: Budget,
  now: number,
): Promise<RateLimitDecision> {
  const { budget, quota, windowSeconds } = given
  const windowMs = windowSeconds * 1000
  const intervalMs = windowMs / quota
  const { allowed, usedMs } = await limits.take(organizationId, given, now)
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
  budget: Budget,
  now: number,
): Promise<number> {
  return Math.ceil(
    (await limits.findUsed(organizationId, budget, now)) / ((budget.windowSeconds * 1000) / budget.quota),
  )
}

/** Counts one request on a stored state (undefined = none). `next` is the state to store; undefined = it stays as it is. */
export function countRequest(
  arrival: Arrival | undefined,
  { quota, windowSeconds }: Budget,
  now: number,
): Taken & { next: Arrival | undefined } {
  const windowMs = windowSeconds * 1000
  const intervalMs = windowMs / quota
  const before = readUsed(arrival, now)
  const cappedMs = Math.min(before.usedMs, windowMs)
  const allowed = cappedMs + intervalMs <= windowMs
  const usedMs = allowed ? cappedMs + intervalMs : cappedMs
  // A state of another clock is replaced even if the request is refused. Otherwise the budget would not refill until the
  // clock is where it was.
  const isUnchanged = !allowed && !before.isOfOtherClock && before.usedMs === usedMs
  return { allowed, usedMs, next: isUnchanged ? undefined : { arrivalAt: Math.round(now + usedMs), storedAt: now } }
}

/** Returns how much of a budget is used in a stored state (undefined = none). */
export function measureUsed(arrival: Arrival | undefined, { windowSeconds }: Budget, now: number): number {
  return Math.min(readUsed(arrival, now).usedMs, windowSeconds * 1000)
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
