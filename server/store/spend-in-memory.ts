import { UnavailableError } from '../base/unavailable-error.ts'
import {
  type Arrival,
  countRequest,
  measureUsed,
  type RateLimitReader,
  type RateLimits,
} from '../tenancy/rate-limit.ts'
import type { NextArrival, StoredRateLimits } from './rate-limits.ts'
import type { WriteQueue } from './write-queue.ts'

/** How long a request waits for a lock before it is counted in memory. Imports hold the lock for less. */
const patienceMs = 250
const retryMs = 1000
/** More requests of one organization than any budget allows. */
const maxSpends = 1000

/** The requests of an organization that are not in the database yet. */
interface Unwritten {
  organizationId: string
  budget: string
  state: Arrival | undefined
  spends: NextArrival[]
}

/** Rate limits that also count while the database cannot be written. */
export interface MemoryRateLimits extends RateLimits, RateLimitReader {
  /** See `StoredRateLimits.replace`. */
  replace(organizationId: string, budget: string, next: NextArrival): Promise<void>
  /** Writes what was counted in memory. What cannot be written is lost. */
  close(): void
}

/**
 * Counts requests in memory while the database is locked or its disk is full, so that requests that only read are answered.
 * The requests are counted again in the database as soon as it can be written. Meanwhile, each process counts alone.
 */
export function spendInMemory(limits: StoredRateLimits, queue: WriteQueue): MemoryRateLimits {
  const unwritten = new Map<string, Unwritten>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const keyOf = (organizationId: string, budget: string) => `${organizationId} ${budget}`

  function spend(organizationId: string, budget: string, next: NextArrival): void {
    const key = keyOf(organizationId, budget)
    const known = unwritten.get(key) ?? {
      organizationId,
      budget,
      state: limits.find(organizationId, budget),
      spends: [],
    }
    const state = next(known.state)
    if (state === undefined) return
    unwritten.set(key, { ...known, state, spends: [...known.spends.slice(1 - maxSpends), next] })
  }

  function writeAll(): void {
    limits.together(() => {
      for (const { organizationId, budget, spends } of unwritten.values()) {
        try {
          limits.replace(organizationId, budget, found => spends.reduce((state, next) => next(state) ?? state, found))
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

  async function replace(organizationId: string, budget: string, next: NextArrival): Promise<void> {
    if (unwritten.size === 0) {
      try {
        return await queue.write(() => limits.replace(organizationId, budget, next), patienceMs)
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error
      }
    }
    spend(organizationId, budget, next)
    timer ??= setTimeout(writeSoon, 0)
  }

  return {
    replace,
    async take(organizationId, budget, now) {
      let taken = { allowed: false, usedMs: 0 }
      await replace(organizationId, budget.budget, arrival => {
        const { next, ...counted } = countRequest(arrival, budget, now)
        taken = counted
        return next
      })
      return taken
    },
    async findUsed(organizationId, budget, now) {
      const counted = unwritten.get(keyOf(organizationId, budget.budget))
      const arrival = counted ? counted.state : queue.read(() => limits.find(organizationId, budget.budget))
      return measureUsed(await arrival, budget, now)
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
