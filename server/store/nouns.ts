import type { AgentJobs } from '../agent/agent-job.ts'
import type { AgentRuns } from '../agent/agent-run.ts'
import type { AgentSources } from '../agent/agent-source.ts'
import type { ClockStates } from '../base/clock-check.ts'
import type { NounsAsSteps } from '../base/steps.ts'
import type { ExportJobs } from '../export/jobs/export-job.ts'
import type { ApiKeys } from '../tenancy/api-key.ts'
import type { AuditLog } from '../tenancy/audit-event.ts'
import type { Organizations } from '../tenancy/organization.ts'
import type { People } from '../tenancy/person.ts'
import type { Projects } from '../tenancy/project.ts'
import type { Sessions, SignInLinks } from '../tenancy/sign-in.ts'
import type { Sites } from '../tenancy/site.ts'
import type { SiteSchedules } from '../tenancy/site-schedule.ts'
import type { WebhookDeliveries, Webhooks } from '../webhooks/webhook.ts'
import { agentJobs } from './agent-jobs.ts'
import { agentRuns } from './agent-runs.ts'
import { agentSources } from './agent-sources.ts'
import { apiKeys } from './api-keys.ts'
import { auditLog } from './audit-log.ts'
import { clockStates } from './clock-states.ts'
import { exportJobs } from './export-jobs.ts'
import { exportLeases } from './export-leases.ts'
import type { NounWorks } from './noun.ts'
import { type OrganizationRemoval, organizationRemoval } from './organization-removal.ts'
import { organizations } from './organizations.ts'
import { people } from './people.ts'
import { type ProjectRemoval, projectRemoval } from './project-removal.ts'
import { projects } from './projects.ts'
import { sessions } from './sessions.ts'
import { signInLinks } from './sign-in-links.ts'
import { siteSchedules } from './site-schedules.ts'
import { sites } from './sites.ts'
import { webhookDeliveries } from './webhook-deliveries.ts'
import { webhooks } from './webhooks.ts'

/** What the main database holds, apart from the visits and the rate limits. */
export interface Nouns {
  organizations: Organizations
  organizationRemoval: OrganizationRemoval
  projects: Projects
  projectRemoval: ProjectRemoval
  sites: Sites
  siteSchedules: SiteSchedules
  apiKeys: ApiKeys
  agentJobs: AgentJobs
  agentRuns: AgentRuns
  agentSources: AgentSources
  exportJobs: ExportJobs
  clockStates: ClockStates
  people: People
  signInLinks: SignInLinks
  sessions: Sessions
  auditLog: AuditLog
  webhooks: Webhooks
  webhookDeliveries: WebhookDeliveries
}

/** The nouns within a transaction. */
export type NounsInSteps = NounsAsSteps<Nouns>

export const nouns: NounWorks<Nouns> = {
  organizations,
  organizationRemoval,
  projects,
  projectRemoval,
  sites,
  siteSchedules,
  apiKeys,
  agentJobs,
  agentRuns,
  agentSources,
  exportJobs: { ...exportJobs, ...exportLeases },
  clockStates,
  people,
  signInLinks,
  sessions,
  auditLog,
  webhooks,
  webhookDeliveries,
}
