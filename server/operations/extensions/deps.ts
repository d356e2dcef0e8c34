import type { AgentJobs } from '../../agent/agent-job.ts'
import type { AgentRuns } from '../../agent/agent-run.ts'
import type { AgentSources } from '../../agent/agent-source.ts'
import type { AgentOffer } from '../../agent/run/plan-run.ts'
import type { VisitsReceiver } from '../../analytics/import/delivery.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { InSteps, Steps } from '../../base/steps.ts'
import type { BundleStore } from '../../export/jobs/bundle-store.ts'
import type { ExportJobs } from '../../export/jobs/export-job.ts'
import type { AuditEvent, AuditLog } from '../../tenancy/audit-event.ts'
import type { Projects } from '../../tenancy/project.ts'
import type { ByteLimit, RateLimits } from '../../tenancy/rate-limit.ts'
import type { Sites } from '../../tenancy/site.ts'
import type { StreamLimit } from '../../tenancy/stream-limit.ts'
import type { ViewLimit } from '../../tenancy/view-limit.ts'
import type { issueSecret, issueWebhook } from '../../webhooks/issue-webhook.ts'
import type { WebhookDeliveries, Webhooks } from '../../webhooks/webhook.ts'
import { type Client, toClientEvent } from '../client.ts'

/** Everything that the handlers of the extensions may use; each declares the parts that it needs. */
export interface ExtensionDeps {
  projects: Pick<Projects, 'findOwned'>
  agentJobs: Pick<AgentJobs, 'find' | 'insert' | 'listPage' | 'update'>
  agentRuns: Pick<AgentRuns, 'find' | 'findChange' | 'listEvents'>
  agentSources: Pick<AgentSources, 'find'>
  /** Undefined = no agents run here. */
  agents: AgentOffer | undefined
  createAgentJobId(): string
  /** Tells the runner of this process that there is work. */
  wakeAgents(): void
  rateLimits: RateLimits
  exportJobs: Pick<ExportJobs, 'findOwned' | 'listPage'>
  bundles: Pick<BundleStore, 'announceRemoval' | 'remove'>
  visitsReceiver: VisitsReceiver
  /** The largest body of log lines, as it is sent. */
  maxVisitsBytes: number
  visitBytes: ByteLimit
  viewLimit: ViewLimit
  streamLimit: StreamLimit
  sites: Pick<Sites, 'findOwned'>
  /** See `checkSignature`, with the secrets that Vercel signs drains with; undefined = only the key is checked. */
  checkVercel:
    | ((lines: AsyncIterable<Uint8Array>, signature: string | undefined) => AsyncIterable<Uint8Array>)
    | undefined
  webhooks: Pick<Webhooks, 'findOwned' | 'list'>
  webhookDeliveries: Pick<WebhookDeliveries, 'enqueueTest' | 'list'>
  /** See `issueWebhook` and `issueSecret`, with the key of the secrets and the private addresses that are allowed. */
  issueWebhook(given: Parameters<typeof issueWebhook>[0]): ReturnType<typeof issueWebhook>
  issueWebhookSecret(webhookId: string): ReturnType<typeof issueSecret>
  /** Makes several changes in one transaction: all, or none if the work throws. */
  atomically<T>(work: (nouns: RecordedNouns) => Steps<T>): Awaitable<T>
  /** Milliseconds since 1970. */
  now(): number
}

/** What the extensions change together with the audit log. */
export interface RecordedNouns {
  agentJobs: InSteps<Pick<AgentJobs, 'update'>>
  agentRuns: InSteps<Pick<AgentRuns, 'start' | 'instruct' | 'cancel'>>
  exportJobs: InSteps<Pick<ExportJobs, 'cancel' | 'delete'>>
  webhooks: InSteps<Pick<Webhooks, 'insert' | 'delete' | 'rotateSecret'>>
  auditLog: InSteps<Pick<AuditLog, 'append'>>
}

/** Makes a change and appends its audit event, in one transaction. Appends nothing if the change found nothing to change. */
export function recordByClient<T>(
  { atomically, now }: Pick<ExtensionDeps, 'atomically' | 'now'>,
  client: Client,
  event: Pick<AuditEvent, 'action' | 'subject' | 'detail'>,
  { change, isChange }: { change: (nouns: RecordedNouns) => Steps<T>; isChange: (result: T) => boolean },
): Awaitable<T> {
  return atomically(function* (nouns) {
    const result = yield* change(nouns)
    if (isChange(result)) yield* nouns.auditLog.append(toClientEvent(client, { at: now(), ...event }))
    return result
  })
}
