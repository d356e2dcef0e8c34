import type { RateLimits } from '../tenancy/rate-limit.ts'
import type { Database } from './database.ts'

export function openRateLimits(database: Database): RateLimits {
  const find = database.prepare<{ organizationId: string; budget: string }, { arrival_at: number }>(
    'SELECT arrival_at FROM rate_limits WHERE organization_id = @organizationId AND budget = @budget',
  )
  const upsert = database.prepare<{ organizationId: string; budget: string; arrivalAt: number }>(
    `INSERT INTO rate_limits (organization_id, budget, arrival_at) VALUES (@organizationId, @budget, @arrivalAt)
     ON CONFLICT DO UPDATE SET arrival_at = @arrivalAt`,
  )
  // IMMEDIATE takes the write lock before the read, so that two processes cannot spend the same request twice.
  const replace = database.transaction(
    (organizationId: string, budget: string, next: (arrivalAt: number | undefined) => number | undefined) => {
      const arrivalAt = next(find.get({ organizationId, budget })?.arrival_at)
      if (arrivalAt !== undefined) upsert.run({ organizationId, budget, arrivalAt })
    },
  ).immediate

  return { replace }
}
