import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { budgets } from '../../server/http/routes.ts'
import { openPostgres } from '../../server/store/open-postgres.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { openSecretBox } from '../../server/store/webhook-keys.ts'
import { createId } from '../../server/tenancy/id.ts'
import { issueWebhook } from '../../server/webhooks/issue-webhook.ts'
import { type SecretBox, webhookEvents } from '../../server/webhooks/webhook.ts'
import { addSource, type PreparedAgents, prepareAgents, spendInstructions } from '../support/agent-runs.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

/** The keys and records that the transactions need to get every documented answer. */
export interface DreddState extends PreparedAgents {
  dataFolder: string
  /** The address of a PostgreSQL database; undefined = SQLite in the data folder. */
  database: string | undefined
  key: string
  readOnlyKey: string
  ingestKey: string
  projectId: string
  /** An active job. */
  agentJobId: string
  /** Completed jobs; the second is archived by its transaction. */
  endedAgentJobId: string
  archivedAgentJobId: string
  domain: string
  completedJobId: string
  runningJobId: string
  /** A completed job that its transaction deletes, and a running one that its transaction cancels. */
  deletedJobId: string
  cancelledJobId: string
  webhookId: string
  /** A webhook that its transaction deletes. */
  deletedWebhookId: string
  disabledWebhookId: string
  /** A key and a project of an organization that has reached its limits of requests, of queued exports and of webhooks. */
  spent: { key: string; projectId: string; agentJobId: string; domain: string }
  /** A project that no agent has a repository of. */
  bareProjectId: string
  /** A project, a job and a webhook of another organization. */
  foreign: { projectId: string; jobId: string; webhookId: string }
}

/** The budget of `createByteLimit` with the default of `--visits-hour-mb`. */
const visitBytes = { budget: 'visits', quota: 1024, windowSeconds: 3600 }

/**
 * Fills a new data folder. No server may use it yet, because its runner would claim the jobs.
 *
 * @param database the address of an empty PostgreSQL database; undefined = SQLite
 */
export async function prepareDreddState(dataFolder: string, database?: string): Promise<DreddState> {
  const store = database === undefined ? openStore(dataFolder) : await openPostgres(database, { dataFolder })
  const now = Date.now()
  const { organizationId, projectId } = await createOrganization(store)
  const domain = 'docs.example.com'
  await store.sites.insert({ domain, projectId, origin: 'http://127.0.0.1:9/', createdAt: now })
  const addAgentJob = async (status: 'active' | 'completed', owner = projectId) => {
    const id = createId('aj')
    const source = { repository: 'https://git.example.com/acme/docs', ref: null }
    const times = { createdAt: now, archivedAt: null }
    await store.agentJobs.insert({ projectId: owner, id, status, source, model: 'writer-2', prLink: null, ...times })
    return id
  }
  const addWebhook = prepareWebhooks(store, openSecretBox(dataFolder, undefined), now)
  await store.visits.openVisitorKeys()
  const visitor = Buffer.alloc(16, 1)
  await store.visits.recordBatch(projectId, toViewBatch([{ visitor, path: '/', day: toDay(now), kind: 'human' }]))
  const queueJob = (owner: string, domain: string) => queueExport(store, owner, domain, now)
  const startJob = async (owner: string) => {
    await queueJob(owner, domain)
    // The lease lasts an hour, so that the runner of the server does not claim the job.
    const claimed = await store.exportJobs.claim('test', now, 3_600_000)
    if (!claimed) throw new Error('The job could not be claimed.')
    return claimed.lease
  }
  mkdirSync(join(dataFolder, 'bundles'), { recursive: true })
  const completeJob = async (fileName: string) => {
    const lease = await startJob(organizationId)
    writeFileSync(join(dataFolder, 'bundles', fileName), 'x')
    await store.exportJobs.complete(lease, { fileName, sizeBytes: 1, sha256: 'a'.repeat(64) }, 1, now)
    return lease.jobId
  }
  const exports = {
    completedJobId: await completeJob('x.zip'),
    runningJobId: (await startJob(organizationId)).jobId,
    deletedJobId: await completeJob('y.zip'),
    cancelledJobId: (await startJob(organizationId)).jobId,
  }

  const spent = await createOrganization(store)
  for (let added = 0; added < 50; added += 1) await addWebhook(spent.organizationId)
  for (const budget of [...budgets, visitBytes]) {
    for (let taken = 0; taken < budget.quota; taken += 1)
      await store.rateLimits.take(spent.organizationId, budget, () => now)
  }
  await addSource(store, spent.projectId)
  await spendInstructions(store, spent.organizationId, spent.projectId)
  const bareProjectId = await addProject(store, organizationId, now)
  const foreign = await createOrganization(store)
  const foreignJob = await startJob(foreign.organizationId)
  const fullDomain = 'docs.example.net'
  const origin = 'http://127.0.0.1:9/'
  await store.sites.insert({ domain: fullDomain, projectId: spent.projectId, origin, createdAt: now })
  // Twice the limit, because the server works them off meanwhile.
  for (let queued = 0; queued < 200; queued += 1) await queueJob(spent.organizationId, fullDomain)

  const disabledWebhookId = await addWebhook(organizationId)
  await store.webhooks.disable(disabledWebhookId, 'The receiver answered 410.', now)

  const state = {
    dataFolder,
    database,
    key: (await createApiKey(store, organizationId, { scopes: ['read', 'write', 'ingest'] })).key,
    readOnlyKey: (await createApiKey(store, organizationId, { scopes: ['read'] })).key,
    ingestKey: (await createApiKey(store, organizationId, { scopes: ['ingest'] })).key,
    projectId,
    agentJobId: await addAgentJob('active'),
    endedAgentJobId: await addAgentJob('completed'),
    archivedAgentJobId: await addAgentJob('completed'),
    ...(await prepareAgents(store, projectId, now)),
    bareProjectId,
    domain,
    ...exports,
    webhookId: await addWebhook(organizationId),
    deletedWebhookId: await addWebhook(organizationId),
    disabledWebhookId,
    spent: {
      key: (await createApiKey(store, spent.organizationId)).key,
      projectId: spent.projectId,
      agentJobId: await addAgentJob('completed', spent.projectId),
      domain: fullDomain,
    },
    foreign: {
      projectId: foreign.projectId,
      jobId: foreignJob.jobId,
      webhookId: await addWebhook(foreign.organizationId),
    },
  }
  await store.close()
  return state
}

async function addProject(store: Store, organizationId: string, createdAt: number): Promise<string> {
  const id = createId('prj')
  const rules = { visitorSaltRotation: 'never', visitorRules: 2 } as const
  await store.projects.insert({ id, organizationId, name: 'Bare', ...rules, createdAt })
  return id
}

function prepareWebhooks({ webhooks }: Pick<Store, 'webhooks'>, secrets: SecretBox, createdAt: number) {
  return async (organizationId: string): Promise<string> => {
    const given = { organizationId, url: 'https://hooks.example.com/quire', events: webhookEvents, createdAt }
    const { webhook, sealedSecret } = issueWebhook(given, { secrets, allowed: { names: [], ranges: [] } })
    await webhooks.insert(webhook, sealedSecret)
    return webhook.id
  }
}

async function queueExport(store: Store, organizationId: string, domain: string, now: number): Promise<void> {
  const request = {
    domain,
    version: null,
    paths: null,
    deployment: 'air-gapped' as const,
    features: { search: false, assistant: false, analytics: false, playground: false },
    offlineSearch: false,
    verify: null,
    format: 'zip' as const,
  }
  const state = { status: 'queued' as const, progress: 0, pageCount: 0, error: null, bundle: null }
  const times = { createdAt: now, updatedAt: now }
  await store.exportJobs.start({ jobId: createId('se'), organizationId, request, ...state, ...times }, undefined, 0)
}
