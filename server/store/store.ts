import { join } from 'node:path'
import { openAgentJobs } from './agent-jobs.ts'
import { openApiKeys } from './api-keys.ts'
import { openDatabase } from './database.ts'
import { openExportJobs } from './export-jobs.ts'
import { openOrganizations } from './organizations.ts'
import { openProjects } from './projects.ts'
import { openRateLimits } from './rate-limits.ts'
import { openSites } from './sites.ts'
import { openVisits } from './visits.ts'

export type Store = ReturnType<typeof openStore>

/**
 * Opens the database of a data folder and everything stored in it. The caller closes it.
 *
 * @throws {DatabaseError} see `openDatabase`.
 */
export function openStore(dataFolder: string) {
  const database = openDatabase(join(dataFolder, 'quire.db'))
  return {
    organizations: openOrganizations(database),
    projects: openProjects(database),
    sites: openSites(database),
    apiKeys: openApiKeys(database),
    agentJobs: openAgentJobs(database),
    visits: openVisits(database),
    exportJobs: openExportJobs(database),
    rateLimits: openRateLimits(database),
    /** Throws when the database does not answer. */
    check(): void {
      database.prepare('SELECT 1').get()
    },
    close(): void {
      database.close()
    },
  }
}
