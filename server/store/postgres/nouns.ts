import type { Nouns } from '../nouns.ts'
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

/** Opens the same nouns as SQLite. */
export function openNouns(database: Database): Nouns {
  return {
    organizations: openOrganizations(database),
    organizationRemoval: openOrganizationRemoval(database),
    projects: openProjects(database),
    sites: openSites(database),
    apiKeys: openApiKeys(database),
    agentJobs: openAgentJobs(database),
    exportJobs: openExportJobs(database),
    clockStates: openClockStates(database),
    people: openPeople(database),
    signInLinks: openSignInLinks(database),
    sessions: openSessions(database),
    auditLog: openAuditLog(database),
  }
}
