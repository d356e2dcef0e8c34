import { join } from 'node:path'
import { openAgentJobs } from './agent-jobs.ts'
import { openApiKeys } from './api-keys.ts'
import { openClockStates } from './clock-states.ts'
import { busyTimeoutMs, openDatabase } from './database.ts'
import { openExportJobs } from './export-jobs.ts'
import { openOrganizationRemoval } from './organization-removal.ts'
import { openOrganizations } from './organizations.ts'
import { openProjects } from './projects.ts'
import { openRateLimits } from './rate-limits.ts'
import { openSites } from './sites.ts'
import { openVisits } from './visits/visits.ts'

/** Short, because all requests wait while the check waits for a lock. */
const checkPatienceMs = 200

export type Store = ReturnType<typeof openStore>

/**
 * Opens the database of a data folder and everything stored in the folder. The caller closes it.
 *
 * @throws {OperatorError} see `openDatabase`.
 */
export function openStore(dataFolder: string) {
  const database = openDatabase(join(dataFolder, 'quire.db'))
  const check = database.prepare('INSERT OR REPLACE INTO readiness (id, checked_at) VALUES (1, @now)')
  const visits = openVisits(database)
  return {
    organizations: openOrganizations(database),
    organizationRemoval: openOrganizationRemoval(database),
    projects: openProjects(database),
    sites: openSites(database),
    apiKeys: openApiKeys(database),
    agentJobs: openAgentJobs(database),
    visits,
    exportJobs: openExportJobs(database),
    rateLimits: openRateLimits(database),
    clockStates: openClockStates(database),
    /** Throws if the database cannot be written or stays locked for 200 ms. */
    check(now: number): void {
      database.pragma(`busy_timeout = ${checkPatienceMs}`)
      try {
        check.run({ now })
      } finally {
        database.pragma(`busy_timeout = ${busyTimeoutMs}`)
      }
    },
    close(): void {
      visits.close()
      database.close()
    },
  }
}
