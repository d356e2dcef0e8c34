import type { Awaitable } from '../base/awaitable.ts'

/** A budget of requests that refills continuously: `quota` at once, and `quota` more every `windowSeconds`. */
export interface Budget {
  budget: string
  quota: number
  windowSeconds: number
}

export interface RateLimits {
  /**
   * Reads an organization's arrival time (milliseconds, undefined when it has none), and writes what `next` makes of it
   * unless that is undefined. Atomic over processes.
   */
  replace(
    organizationId: string,
    budget: string,
    next: (arrivalAt: number | undefined) => number | undefined,
  ): Awaitable<void>
}

export interface RateLimitDecision {
  allowed: boolean
  /** `RateLimit` and `RateLimit-Policy`, and `Retry-After` in whole seconds when refused. */
  headers: Record<string, string>
}

/**
 * Spends one request of an organization's budget by the generic cell rate algorithm: one stored instant, no window edge
 * at which twice the quota could pass, and it survives a restart.
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
    // An arrival time further ahead than the whole window was written under a clock since set back.
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
