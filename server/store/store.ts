import { join } from 'node:path'
import type { Awaitable } from '../base/awaitable.ts'
import { alone, type Exclusively } from '../base/exclusively.ts'
import type { Steps } from '../base/steps.ts'
import type { RateLimitReader, RateLimits } from '../tenancy/rate-limit.ts'
import { protectDataFolder, refuseAmongData } from './data-folder.ts'
import { busyTimeoutMs, openDatabase } from './database.ts'
import { bindToSqlite } from './noun.ts'
import { type Nouns, type NounsInSteps, nouns } from './nouns.ts'
import { openRateLimits } from './rate-limits.ts'
import type { AgreedLinkKey } from './shared-link-keys.ts'
import { spendInMemory } from './spend-in-memory.ts'
import type { StoredVisits } from './visits/stored-visits.ts'
import { openVisits } from './visits/visits.ts'
import { noQueue, type WriteQueue } from './write-queue.ts'

/** How long the readiness check waits for a lock. */
const checkPatienceMs = 200
/** How long the last writes wait for a lock when the store is closed. */
const closePatienceMs = 1000

/** Everything that Quire stores, on SQLite or on PostgreSQL. Bundles are stored elsewhere, see `openBundles`. */
export interface Store extends Nouns {
  visits: StoredVisits
  rateLimits: RateLimits & RateLimitReader
  /** Makes several changes in one transaction: all, or none if the work throws. */
  atomically<T>(work: (nouns: NounsInSteps) => Steps<T>): Awaitable<T>
  exclusively: Exclusively
  /** Undefined = only one server uses the database. */
  linkKey?: AgreedLinkKey
  /** Returns how many calls of this process wait for a lock of the database, or for a connection. */
  countWaiting(): number
  /** Fails if the database cannot be written. */
  check(now: number): Awaitable<void>
  close(): Awaitable<void>
}

/** The store of a data folder. Outside a server its methods are synchronous. */
export type SqliteStore = ReturnType<typeof openStore>

export interface StoreOptions {
  /** How long a method blocks its thread until a lock of another process ends. */
  lockPatienceMs?: number
  /** The same for the visits of one project. */
  visitsPatienceMs?: number
  /** Names of files that a folder without a database may have, see `refuseAmongData`. */
  given?: readonly string[]
  /** The queue of `openServingStore`. */
  queue?: WriteQueue
}

/**
 * Opens the database of a data folder and everything stored in the folder. Creates the database only in a folder without
 * other data. Its methods block while another process holds the lock; the server uses `openServingStore`. The caller closes
 * it.
 *
 * @throws {OperatorError} see `openDatabase` and `refuseAmongData`.
 */
export function openStore(
  dataFolder: string,
  { lockPatienceMs = busyTimeoutMs, visitsPatienceMs, given, queue = noQueue }: StoreOptions = {},
) {
  const refuse = (found: 'missing' | 'empty') => refuseAmongData(dataFolder, found, given)
  const database = openDatabase(join(dataFolder, 'quire.db'), undefined, refuse)
  protectDataFolder(dataFolder)
  const check = database.prepare('INSERT OR REPLACE INTO readiness (id, checked_at) VALUES (1, @now)')
  const visits = openVisits(database, visitsPatienceMs)
  database.pragma(`busy_timeout = ${lockPatienceMs}`)
  const rateLimits = spendInMemory(openRateLimits(database), queue)
  const bound = bindToSqlite<Nouns>(database, nouns, queue.write)
  return {
    ...bound.nouns,
    visits,
    rateLimits,
    /** The steps do not go through the queue, because all of them are one write. */
    atomically: <T>(work: (nouns: NounsInSteps) => Steps<T>): Awaitable<T> =>
      queue.write(() => database.transaction(() => bound.finish(work)).immediate()),
    exclusively: alone,
    countWaiting: queue.countWaiting,
    check: (now: number) => queue.write(() => void check.run({ now }), checkPatienceMs),
    close(): void {
      if (!database.open) return
      queue.close()
      database.pragma(`busy_timeout = ${closePatienceMs}`)
      rateLimits.close()
      visits.close()
      database.close()
    },
  }
}
