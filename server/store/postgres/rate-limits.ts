import type { RateLimitReader, RateLimits } from '../../tenancy/rate-limit.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

interface Key {
  organizationId: string
  budget: string
}

/**
 * What is used of a budget at the time `at`, as the time until it is full again. If the state was stored later than that, the clock was
 * set back: nothing is assumed to have refilled.
 */
const usedMs = 'greatest(old.arrival_at - greatest(old.stored_at, at), 0)'

// The row is locked before the clock is read, so requests of all nodes are counted one after the other. A refused request writes nothing,
// unless the state is one of another clock or beyond the window: see `countRequest` in server/tenancy/rate-limit.ts.
const take = statement<Key & { windowMs: number; intervalMs: number }, { allowed: boolean; used_ms: number }>(
  `INSERT INTO rate_limits AS old (organization_id, budget, arrival_at, stored_at, allowed)
   SELECT @organizationId, @budget, at + @intervalMs::double precision, at, true FROM now_ms() AS at
   ON CONFLICT (organization_id, budget) DO UPDATE SET (arrival_at, stored_at, allowed) = (
     SELECT at + used + CASE WHEN allowed THEN @intervalMs ELSE 0 END, at, allowed
     FROM now_ms() AS at, least(${usedMs}, @windowMs::double precision) AS used,
       LATERAL (SELECT used + @intervalMs <= @windowMs) AS decision (allowed)
   )
   WHERE (SELECT old.stored_at > at OR ${usedMs} + @intervalMs <= @windowMs OR ${usedMs} > @windowMs FROM now_ms() AS at)
   RETURNING allowed, arrival_at - stored_at AS used_ms`,
)
const find = statement<Key, { used_ms: number }>(
  `SELECT ${usedMs} AS used_ms FROM rate_limits AS old, now_ms() AS at
   WHERE organization_id = @organizationId AND budget = @budget`,
)

/** Counts by the clock of the database, and ignores that of the caller. */
export function openRateLimits(database: Database): RateLimits & RateLimitReader {
  const findUsed = async (organizationId: string, budget: string, windowMs: number) =>
    Math.min((await database.get(find, { organizationId, budget }))?.used_ms ?? 0, windowMs)
  return {
    async take(organizationId, { budget, quota, windowSeconds }) {
      const windowMs = windowSeconds * 1000
      const intervalMs = windowMs / quota
      const row = await database.get(take, { organizationId, budget, windowMs, intervalMs })
      if (row) return { allowed: row.allowed, usedMs: row.used_ms }
      const usedMs = await findUsed(organizationId, budget, windowMs)
      // At least a millisecond until the next, also if it refilled between the two statements.
      return { allowed: false, usedMs: Math.max(usedMs, windowMs - intervalMs + 1) }
    },
    findUsed: (organizationId, { budget, windowSeconds }) => findUsed(organizationId, budget, windowSeconds * 1000),
  }
}
