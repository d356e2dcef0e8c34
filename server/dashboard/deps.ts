import type { AgentJobs } from '../agent/agent-job.ts'
import type { AgentRuns } from '../agent/agent-run.ts'
import type { AgentSources } from '../agent/agent-source.ts'
import type { AgentOffer } from '../agent/run/plan-run.ts'
import type { FollowedLog } from '../analytics/follow/follow-settings.ts'
import type { VisitReportReader } from '../analytics/report/report-view.ts'
import type { VisitorReader } from '../analytics/unique-visitors.ts'
import type { Awaitable } from '../base/awaitable.ts'
import type { InSteps, Steps } from '../base/steps.ts'
import type { CutChanges } from '../export/compare/cut-changes.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { Bundle, ExportJobs } from '../export/jobs/export-job.ts'
import type { WorkBoard } from '../export/jobs/work-board.ts'
import type { ProbeOptions, SiteProbe } from '../export/probe-site.ts'
import type { Deps } from '../operations/deps.ts'
import type { ExtensionDeps, RecordedNouns } from '../operations/extensions/deps.ts'
import type { ApiKeys } from '../tenancy/api-key.ts'
import type { AuditLog } from '../tenancy/audit-event.ts'
import type { Organizations } from '../tenancy/organization.ts'
import type { People } from '../tenancy/person.ts'
import type { Projects } from '../tenancy/project.ts'
import type { RateLimitReader, RateLimits } from '../tenancy/rate-limit.ts'
import type { Sessions, SignInLinks } from '../tenancy/sign-in.ts'
import type { Sites } from '../tenancy/site.ts'
import type { SiteSchedules } from '../tenancy/site-schedule.ts'
import type { Webhooks } from '../webhooks/webhook.ts'

/** What the dashboard changes together with the audit log, within a transaction, besides what clients of the API change. */
export interface ChangedNouns extends RecordedNouns {
  apiKeys: InSteps<Pick<ApiKeys, 'findOwned' | 'insert' | 'revoke'>>
  projects: InSteps<Pick<Projects, 'findNamed' | 'insert' | 'setCounting'>>
  sites: InSteps<Pick<Sites, 'find' | 'insert' | 'updateOrigin' | 'updateAllowedOrigins' | 'updateRemoval' | 'delete'>>
  siteSchedules: InSteps<Pick<SiteSchedules, 'put' | 'delete'>>
  webhooks: InSteps<Pick<Webhooks, 'insert' | 'delete' | 'rotateSecret' | 'enable'>>
  people: InSteps<Pick<People, 'insert' | 'findNamed' | 'delete'>>
  signInLinks: InSteps<Pick<SignInLinks, 'insert' | 'take'>>
  sessions: InSteps<Pick<Sessions, 'insert' | 'list' | 'end'>>
}

/** Everything that the pages of the dashboard may use, besides what the operations use. */
export interface DashboardDeps extends Deps {
  organizations: Pick<Organizations, 'find' | 'listPart'>
  apiKeys: Pick<ApiKeys, 'list' | 'listPart' | 'findOwned'>
  projects: Pick<Projects, 'findOwned' | 'list' | 'listPart'>
  sites: Sites
  siteSchedules: Pick<SiteSchedules, 'find' | 'listRefused'>
  webhooks: Pick<Webhooks, 'list' | 'findOwned'>
  issueWebhook: ExtensionDeps['issueWebhook']
  agentJobs: AgentJobs
  agentRuns: Pick<AgentRuns, 'find' | 'listSummaries' | 'findChange' | 'listEvents'>
  agentSources: Pick<AgentSources, 'find'>
  /** Undefined = no agents run here. */
  agents: AgentOffer | undefined
  /** Says in one sentence with the remedy why agents cannot run on this server; undefined = they can, or others run them. */
  findAgentProblem(): Promise<string | undefined>
  createAgentJobId(): string
  wakeAgents(): void
  exportJobs: ExportJobs
  bundles: BundleStore
  workBoard: Pick<WorkBoard, 'find'>
  visits: VisitorReader & VisitReportReader
  rateLimits: RateLimits & RateLimitReader
  people: People
  signInLinks: SignInLinks
  sessions: Sessions
  auditLog: AuditLog
  /** Makes several changes in one transaction: all, or none if the work throws. */
  atomically<T>(work: (nouns: ChangedNouns) => Steps<T>): Awaitable<T>
  /** Must not block this thread, whatever the site answers. */
  probeSite(options: ProbeOptions): Promise<SiteProbe>
  /** Compares the texts of two bundles. Must not block this thread. */
  compareBundles(before: Bundle, after: Bundle): Promise<CutChanges | 'failed'>
  /** Returns a path on this server, for one hour, that leads to the bundle's pages where they cannot reach the session; see `BundlePreviews`. */
  previewPath(jobId: string): string
  /** Deletes what exports of a site keep for the next export. */
  forgetCache(domain: string): Promise<void>
  /** The prefix of API keys, such as `quire_`. */
  keyPrefix: string
  dataFolder: string
  followedLogs: readonly FollowedLog[]
  /** Fails if the database cannot be written. */
  check(now: number): Awaitable<void>
}
