import { join } from 'node:path'
import { openAgentJobs } from './agent-jobs.ts'
import { openApiKeys } from './api-keys.ts'
import { openClockStates } from './clock-states.ts'
import { protectDataFolder, refuseAmongData } from './data-folder.ts'
import { busyTimeoutMs, openDatabase } from './database.ts'
import { openExportJobs } from './export-jobs.ts'
import { openOrganizationRemoval } from './organization-removal.ts'
import { openOrganizations } from './organizations.ts'
import { openProjects } from './projects.ts'
import { openRateLimits } from './rate-limits.ts'
import { openSites } from './sites.ts'
import { spendInMemory } from './spend-in-memory.ts'
import { openVisits } from './visits/visits.ts'
import { noQueue, type WriteQueue } from './write-queue.ts'

/** How long the readiness check waits for a lock. */
const checkPatienceMs = 200
/** How long the last writes wait for a lock when the store is closed. */
const closePatienceMs = 1000

export type Store = ReturnType<typeof openStore>

export interface StoreOptions {
  /** How long a method blocks its thread until a lock of another process ends. */
  lockPatienceMs?: number
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
export function openStore(dataFolder: string, { lockPatienceMs = busyTimeoutMs, queue = noQueue }: StoreOptions = {}) {
  const database = openDatabase(join(dataFolder, 'quire.db'), undefined, found => refuseAmongData(dataFolder, found))
  protectDataFolder(dataFolder)
  const check = database.prepare('INSERT OR REPLACE INTO readiness (id, checked_at) VALUES (1, @now)')
  const visits = openVisits(database)
  database.pragma(`busy_timeout = ${lockPatienceMs}`)
  const rateLimits = spendInMemory(openRateLimits(database), queue)
  return {
    organizations: openOrganizations(database),
    organizationRemoval: openOrganizationRemoval(database),
    projects: openProjects(database),
    sites: openSites(database),
    apiKeys: openApiKeys(database, queue.write),
    agentJobs: openAgentJobs(database),
    visits,
    exportJobs: openExportJobs(database),
    rateLimits,
    clockStates: openClockStates(database),
    /** Fails if the database cannot be written. */
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
