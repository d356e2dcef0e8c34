import type { Awaitable } from '../base/awaitable.ts'

/** A rate limit: at most `quota` requests in any `windowSeconds`. */
export interface Budget {
  budget: string
  quota: number
  windowSeconds: number
}

/** When the last requests of an organization were counted, in milliseconds since 1970, ascending: at most `quota` instants. */
export type CountedRequests = readonly number[]

/** How much of a budget is used. */
export interface Usage {
  used: number
  /** How long the oldest counted request still counts; the whole window if there is none. */
  untilNextMs: number
}

export interface Taken extends Usage {
  allowed: boolean
}

export interface RateLimits {
  /**
   * Counts a request of an organization if its budget has room for it. Atomic across processes.
   *
   * @param now the clock of this process. It is read when no other process can count, so the instants are in the order of the
   *   decisions. A store that is shared by machines uses its own clock instead.
   */
  take(organizationId: string, budget: Budget, now: () => number): Awaitable<Taken>
}

export interface RateLimitReader {
  /** Returns how much of a budget is used at the time `now`, without counting a request. */
  findUsage(organizationId: string, budget: Budget, now: number): Awaitable<Usage>
}

export interface RateLimitDecision {
  allowed: boolean
  /** `RateLimit`, `RateLimit-Policy` and, if the request is refused, `Retry-After` in whole seconds. */
  headers: Record<string, string>
}

/**
 * Counts one request against an organization's rate limit. The instants of the counted requests are stored, so the bound is exact
 * in every window. A fixed window lets twice the quota pass at its edges, and a refilling budget nearly twice after a pause.
 *
 * Header fields: draft-ietf-httpapi-ratelimit-headers-10.
 */
export async function takeRequest(
  limits: RateLimits,
  organizationId: string,
  given: Budget,
  now: () => number,
): Promise<RateLimitDecision> {
  const { budget, quota, windowSeconds } = given
  const { allowed, used, untilNextMs } = await limits.take(organizationId, given, now)
  const untilNextSeconds = Math.ceil(untilNextMs / 1000)
  return {
    allowed,
    headers: {
      'RateLimit-Policy': `"${budget}";q=${quota};w=${windowSeconds}`,
      RateLimit: `"${budget}";r=${quota - used};t=${untilNextSeconds}`,
      ...(!allowed && { 'Retry-After': String(untilNextSeconds) }),
    },
  }
}

/** Limits how much organizations send. */
export interface ByteLimit {
  /** Megabytes an hour. */
  hourMb: number
  /** Returns in how many seconds the organization may send again; 0 = now. */
  findWaitSeconds(organizationId: string): Promise<number>
  /** Counts what the organization has sent. */
  add(organizationId: string, bytes: number): void
}

const megabyte = 1024 * 1024

/**
 * Counts each megabyte as a request of a rate limit, when the organization sends the next time. That is refused while there is no room.
 * So the last request may exceed the limit, and a large one is not refused for ever. Until then, the bytes are in the memory of this
 * process.
 */
export function createByteLimit(limits: RateLimits, hourMb: number, now: () => number): ByteLimit {
  const budget = { budget: 'visits', quota: hourMb, windowSeconds: 3600 }
  const uncounted = new Map<string, number>()
  const find = (organizationId: string) => uncounted.get(organizationId) ?? 0
  const add = (organizationId: string, bytes: number) => {
    uncounted.set(organizationId, find(organizationId) + bytes)
  }
  return {
    hourMb,
    add,
    async findWaitSeconds(organizationId) {
      while (find(organizationId) >= megabyte) {
        // Before the wait, so that requests at the same time do not count it twice.
        add(organizationId, -megabyte)
        const { allowed, untilNextMs } = await limits.take(organizationId, budget, now)
        if (allowed) continue
        add(organizationId, megabyte)
        return Math.ceil(untilNextMs / 1000)
      }
      return 0
    },
  }
}

/** Counts one request. `next` is what to store; undefined = what is stored stays. */
export function countRequest(
  counted: CountedRequests,
  budget: Budget,
  now: number,
): Taken & { next: CountedRequests | undefined } {
  const before = followClock(counted, now)
  const allowed = measureUsage(before, budget, now).used < budget.quota
  const after = allowed ? addRequests(before, [now], budget, now) : before
  return { allowed, ...measureUsage(after, budget, now), next: after === counted ? undefined : after }
}

/** Adds requests that were counted elsewhere at the same time. */
export function addRequests(
  counted: CountedRequests,
  added: CountedRequests,
  { quota }: Budget,
  now: number,
): CountedRequests {
  return [...followClock(counted, now), ...followClock(added, now)].sort((a, b) => a - b).slice(-quota)
}

export function measureUsage(counted: CountedRequests, { quota, windowSeconds }: Budget, now: number): Usage {
  const windowMs = windowSeconds * 1000
  const inWindow = followClock(counted, now)
    .slice(-quota)
    .filter(at => at > now - windowMs)
  return { used: inWindow.length, untilNextMs: (inWindow[0] ?? now) + windowMs - now }
}

/**
 * Moves all instants back if the last is later than now: then the clock was set back. It is unknown how long ago the last request was, so it
 * counts as one of now, which never allows more than the quota. The distances between the requests stay. The result must be stored also
 * if a request is refused. Otherwise the requests would count until the clock is where it was.
 */
function followClock(counted: CountedRequests, now: number): CountedRequests {
  const aheadMs = (counted.at(-1) ?? now) - now
  return aheadMs > 0 ? counted.map(at => at - aheadMs) : counted
}
