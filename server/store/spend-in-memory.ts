import { UnavailableError } from '../base/unavailable-error.ts'
import {
  addRequests,
  type Budget,
  type CountedRequests,
  countRequest,
  measureUsage,
  type RateLimitReader,
  type RateLimits,
  type Taken,
} from '../tenancy/rate-limit.ts'
import type { StoredRateLimits } from './rate-limits.ts'
import type { WriteQueue } from './write-queue.ts'

/** How long a request waits for a lock before it is counted in memory. Imports hold the lock for less. */
const patienceMs = 250
const retryMs = 1000

/** The requests of an organization that are not in the database yet. */
interface Unwritten {
  organizationId: string
  budget: Budget
  now(): number
  /** What the database would have. */
  counted: CountedRequests
  /** Those of them that it lacks. */
  added: CountedRequests
}

/** Rate limits that also count while the database cannot be written. */
export interface MemoryRateLimits extends RateLimits, RateLimitReader {
  /** Writes what was counted in memory. What cannot be written is lost. */
  close(): void
}

/**
 * Counts requests in memory while the database is locked or its disk is full, so that requests that only read are answered.
 * The requests are added to the database as soon as it can be written. Meanwhile, each process counts alone.
 */
export function spendInMemory(limits: StoredRateLimits, queue: WriteQueue): MemoryRateLimits {
  const unwritten = new Map<string, Unwritten>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const keyOf = (organizationId: string, { budget }: Budget) => `${organizationId} ${budget}`

  function countInMemory(organizationId: string, budget: Budget, now: () => number): Taken {
    const key = keyOf(organizationId, budget)
    const known = unwritten.get(key) ?? { counted: limits.find(organizationId, budget.budget), added: [] }
    const at = now()
    const { next, ...taken } = countRequest(known.counted, budget, at)
    if (next) {
      const added = taken.allowed ? addRequests(known.added, [at], budget, at) : known.added
      unwritten.set(key, { organizationId, budget, now, counted: next, added })
      timer ??= setTimeout(writeSoon, 0)
    }
    return taken
  }

  function writeAll(): void {
    limits.together(() => {
      for (const { organizationId, budget, now, added } of unwritten.values()) {
        try {
          limits.replace(organizationId, budget.budget, counted => ({
            next: addRequests(counted, added, budget, now()),
          }))
        } catch (error) {
          // The organization was deleted.
          if ((error as { code?: unknown }).code !== 'SQLITE_CONSTRAINT_FOREIGNKEY') throw error
        }
      }
    })
    unwritten.clear()
  }

  async function writeSoon(): Promise<void> {
    try {
      await queue.write(writeAll)
    } catch {
      // Still locked or full. The requests stay in memory.
    }
    timer = unwritten.size > 0 && !isClosed ? setTimeout(writeSoon, retryMs) : undefined
  }

  return {
    async take(organizationId, budget, now) {
      if (unwritten.size === 0) {
        try {
          return await queue.write(
            () => limits.replace(organizationId, budget.budget, counted => countRequest(counted, budget, now())),
            patienceMs,
          )
        } catch (error) {
          if (!(error instanceof UnavailableError)) throw error
        }
      }
      return countInMemory(organizationId, budget, now)
    },
    async findUsage(organizationId, budget, now) {
      const counted =
        unwritten.get(keyOf(organizationId, budget))?.counted ??
        (await queue.read(() => limits.find(organizationId, budget.budget)))
      return measureUsage(counted, budget, now)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      if (unwritten.size === 0) return
      try {
        writeAll()
      } catch {
        // The database is still locked or its disk full.
      }
    },
  }
}
