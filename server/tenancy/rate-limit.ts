import type { Awaitable } from '../base/awaitable.ts'

/** A rate limit that refills continuously: it allows `quota` requests at once and `quota` more per `windowSeconds`. */
export interface Budget {
  budget: string
  quota: number
  windowSeconds: number
}

export interface RateLimits {
  /**
   * Passes an organization's arrival time (milliseconds, undefined if none is stored) to `next`, and stores the result
   * unless it is undefined. Atomic across processes.
   */
  replace(
    organizationId: string,
    budget: string,
    next: (arrivalAt: number | undefined) => number | undefined,
  ): Awaitable<void>
}

export interface RateLimitDecision {
  allowed: boolean
  /** `RateLimit`, `RateLimit-Policy` and, if the request is refused, `Retry-After` in whole seconds. */
  headers: Record<string, string>
}

/**
 * Counts one request against an organization's rate limit by the generic cell rate algorithm. The algorithm stores one
 * instant and survives restarts. Unlike fixed windows at their edges, it never allows twice the quota.
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
  await limits.replace(organizationId, budget, arrivalAt => {
    // If an arrival time is more than a window ahead, the clock was set back after it was stored.
    usedMs = Math.min(Math.max((arrivalAt ?? now) - now, 0), windowMs)
    allowed = usedMs + intervalMs <= windowMs
    if (!allowed) return undefined
    usedMs += intervalMs
    return Math.round(now + usedMs)
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
