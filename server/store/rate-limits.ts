import type { Arrival } from '../tenancy/rate-limit.ts'
import type { Database } from './database.ts'

/** Returns the state to store; undefined = it stays as it is. */
export type NextArrival = (arrival: Arrival | undefined) => Arrival | undefined

/** The table of rate limits. */
export interface StoredRateLimits {
  /** Passes an organization's state (undefined if none is stored) to `next`, and stores the result. Atomic across processes. */
  replace(organizationId: string, budget: string, next: NextArrival): void
  /** Returns what `replace` would pass to `next`. */
  find(organizationId: string, budget: string): Arrival | undefined
  /** Runs calls of `replace` in one transaction. */
  together(work: () => void): void
}

export function openRateLimits(database: Database): StoredRateLimits {
  const findRow = database.prepare<
    { organizationId: string; budget: string },
    { arrival_at: number; stored_at: number | null }
  >('SELECT arrival_at, stored_at FROM rate_limits WHERE organization_id = @organizationId AND budget = @budget')
  const upsert = database.prepare<{
    organizationId: string
    budget: string
    arrivalAt: number
    storedAt: number | null
  }>(
    `INSERT INTO rate_limits (organization_id, budget, arrival_at, stored_at)
     VALUES (@organizationId, @budget, @arrivalAt, @storedAt)
     ON CONFLICT DO UPDATE SET arrival_at = @arrivalAt, stored_at = @storedAt`,
  )
  const find = (organizationId: string, budget: string): Arrival | undefined => {
    const row = findRow.get({ organizationId, budget })
    return row && { arrivalAt: row.arrival_at, storedAt: row.stored_at ?? undefined }
  }
  // IMMEDIATE takes the write lock before the read, so that two processes cannot spend the same request twice.
  const replace = database.transaction((organizationId: string, budget: string, next: NextArrival) => {
    const arrival = next(find(organizationId, budget))
    if (!arrival) return
    const { arrivalAt, storedAt = null } = arrival
    upsert.run({ organizationId, budget, arrivalAt, storedAt })
  }).immediate

  return {
    replace,
    find,
    together: database.transaction((work: () => void) => work()).immediate,
  }
}
