import type { AgentJobs } from '../agent/agent-job.ts'
import type { VisitorReader } from '../analytics/unique-visitors.ts'
import type { BundleLinks, PresignLink } from '../export/jobs/bundle-link.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { ExportJobs } from '../export/jobs/export-job.ts'
import type { Projects } from '../tenancy/project.ts'
import type { Sites } from '../tenancy/site.ts'

/** Everything that handlers may use; each handler declares the parts that it needs. */
export interface Deps {
  projects: Pick<Projects, 'findOwned'>
  sites: Pick<Sites, 'findOwned'>
  agentJobs: Pick<AgentJobs, 'findOwned'>
  visits: VisitorReader
  exportJobs: Pick<ExportJobs, 'start' | 'findOwned' | 'find' | 'noteLink'>
  bundles: Pick<BundleStore, 'check' | 'place'>
  bundleLinks: BundleLinks
  /** Signs links that lead to the storage of the bundles; absent = links lead to this server. */
  presignLink?: PresignLink | undefined
  /** How many exports of one organization may wait in the queue. */
  maxQueuedExports: number
  /** Tells the runner that a job is waiting. */
  wakeRunner(): void
  /** Milliseconds since 1970. */
  now(): number
  createJobId(): string
  /** Returns the SHA-256 of a text in base64url. */
  hashText(text: string): string
}
