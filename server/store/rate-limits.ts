// SQLite stores the instants as a JSON text, which this process reads, decides on and writes in one transaction. Machines that share a
// PostgreSQL have different clocks, and each statement is a way over the network: there, one statement reads the clock of the database and
// decides.
import {
  type Budget,
  type CountedRequests,
  measureUsage,
  type RateLimitReader,
  type RateLimits,
} from '../tenancy/rate-limit.ts'
import type { Database } from './database.ts'
import type { Database as Postgres } from './postgres/database.ts'
import { statement } from './postgres/statement.ts'

interface Key {
  organizationId: string
  budget: string
}

const isOfKey = 'organization_id = @organizationId AND budget = @budget'

const findInSqlite = `SELECT instants FROM rate_limits WHERE ${isOfKey}`
/** The driver of PostgreSQL reads an array of integers as texts. */
const numbers = 'instants::double precision[] AS instants'
const findInPostgres = statement<Key, { instants: number[]; at: number }>(
  `SELECT ${numbers}, at FROM rate_limits, now_ms() AS at WHERE ${isOfKey}`,
)

const putInSqlite = `INSERT INTO rate_limits (organization_id, budget, instants) VALUES (@organizationId, @budget, @instants)
  ON CONFLICT DO UPDATE SET instants = @instants`
/** The stored instants. If the last is later than `at`, the clock was set back, and all are moved: see server/tenancy/rate-limit.ts. */
const moved = `ARRAY(SELECT instant - greatest(old.instants[cardinality(old.instants)] - at, 0)
  FROM unnest(old.instants) WITH ORDINALITY AS counted (instant, place) ORDER BY place)`
// The row is locked before the clock is read, so requests of all nodes are counted one after the other.
const takeInPostgres = statement<Key & { quota: number; windowMs: number }, { instants: number[] }>(
  `INSERT INTO rate_limits AS old (organization_id, budget, instants)
   SELECT @organizationId, @budget, ARRAY[at] FROM now_ms() AS at
   ON CONFLICT (organization_id, budget) DO UPDATE
   SET instants = (SELECT (${moved} || at)[cardinality(old.instants) + 2 - @quota::integer:] FROM now_ms() AS at)
   WHERE (SELECT coalesce(moved[cardinality(moved) + 1 - @quota] <= at - @windowMs::bigint, true)
     FROM now_ms() AS at, LATERAL (SELECT ${moved}) AS counted (moved))
   RETURNING ${numbers}`,
)
const moveInPostgres = statement<Key>(
  `UPDATE rate_limits AS old SET instants = (SELECT ${moved} FROM now_ms() AS at)
   WHERE ${isOfKey} AND instants[cardinality(instants)] > now_ms()`,
)

/** What is decided about counted requests. */
interface Decision {
  /** What to store; undefined = what is stored stays. */
  next: CountedRequests | undefined
}

/** The table of rate limits on SQLite. */
export interface StoredRateLimits {
  /** Passes the counted requests of an organization to `decide`, stores the result, and returns it. Atomic across processes. */
  replace<Made extends Decision>(
    organizationId: string,
    budget: string,
    decide: (counted: CountedRequests) => Made,
  ): Made
  find(organizationId: string, budget: string): CountedRequests
  /** Runs calls of `replace` in one transaction. */
  together(work: () => void): void
}

/** Opens the table on SQLite, see `spendInMemory`. */
export function openRateLimits(database: Database): StoredRateLimits {
  const findInstants = database.prepare<Key, string>(findInSqlite).pluck()
  const put = database.prepare<Key & { instants: string }>(putInSqlite)
  const find = (organizationId: string, budget: string): CountedRequests =>
    JSON.parse(findInstants.get({ organizationId, budget }) ?? '[]')
  // IMMEDIATE takes the write lock before the read, so that two processes cannot spend the same request twice.
  const replace = database.transaction(
    (organizationId: string, budget: string, decide: (counted: CountedRequests) => Decision) => {
      const decision = decide(find(organizationId, budget))
      if (decision.next) put.run({ organizationId, budget, instants: JSON.stringify(decision.next) })
      return decision
    },
  ).immediate

  return {
    replace: replace as StoredRateLimits['replace'],
    find,
    together: database.transaction((work: () => void) => work()).immediate,
  }
}

/** Counts on PostgreSQL, by the clock of the database, and ignores that of the caller. */
export function openPostgresRateLimits(database: Postgres): RateLimits & RateLimitReader {
  const find = async (organizationId: string, { budget }: Budget) =>
    (await database.get(findInPostgres, { organizationId, budget })) ?? { instants: [], at: 0 }
  return {
    async take(organizationId, budget) {
      const key = { organizationId, budget: budget.budget }
      const { quota, windowSeconds } = budget
      const taken = await database.get(takeInPostgres, { ...key, quota, windowMs: windowSeconds * 1000 })
      if (taken) return { allowed: true, ...measureUsage(taken.instants, budget, taken.instants.at(-1) ?? 0) }
      // A refused request writes nothing, unless the clock was set back.
      const { instants, at } = await find(organizationId, budget)
      if ((instants.at(-1) ?? at) > at) await database.run(moveInPostgres, key)
      const { used, untilNextMs } = measureUsage(instants, budget, at)
      // If a request left the window since, the next attempt gets its place.
      return { allowed: false, used: quota, untilNextMs: used < quota ? 1 : untilNextMs }
    },
    async findUsage(organizationId, budget) {
      const { instants, at } = await find(organizationId, budget)
      return measureUsage(instants, budget, at)
    },
  }
}
