import type { NounsAsSteps } from '../base/steps.ts'
import { openAgentJobs } from './agent-jobs.ts'
import { openApiKeys } from './api-keys.ts'
import { openAuditLog } from './audit-log.ts'
import { openClockStates } from './clock-states.ts'
import type { Database } from './database.ts'
import { openExportJobs } from './export-jobs.ts'
import { openOrganizationRemoval } from './organization-removal.ts'
import { openOrganizations } from './organizations.ts'
import { openPeople } from './people.ts'
import { openProjects } from './projects.ts'
import { openSessions } from './sessions.ts'
import { openSignInLinks } from './sign-in-links.ts'
import { openSites } from './sites.ts'
import type { WriteQueue } from './write-queue.ts'

export type Nouns = ReturnType<typeof openNouns>

/** The nouns within a transaction. */
export type NounsInSteps = NounsAsSteps<Nouns>

/** Opens the nouns of the main database whose methods are single calls, which a server can queue. */
export function openNouns(database: Database, queue: WriteQueue) {
  return {
    organizations: openOrganizations(database),
    organizationRemoval: openOrganizationRemoval(database),
    projects: openProjects(database),
    sites: openSites(database),
    apiKeys: openApiKeys(database, queue.write),
    agentJobs: openAgentJobs(database),
    exportJobs: openExportJobs(database),
    clockStates: openClockStates(database),
    people: openPeople(database),
    signInLinks: openSignInLinks(database),
    sessions: openSessions(database, queue.write),
    auditLog: openAuditLog(database),
  }
}
