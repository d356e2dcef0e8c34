import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { budgets } from '../../server/http/routes.ts'
import { openPostgres } from '../../server/store/open-postgres.ts'
import { openStore } from '../../server/store/store.ts'
import { createId } from '../../server/tenancy/id.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

/** The keys and records that the transactions need to get every documented answer. */
export interface DreddState {
  dataFolder: string
  /** The address of a PostgreSQL database; undefined = SQLite in the data folder. */
  database: string | undefined
  key: string
  readOnlyKey: string
  ingestKey: string
  projectId: string
  agentJobId: string
  domain: string
  completedJobId: string
  runningJobId: string
  /** A key and a project of an organization that has reached its analytics rate limit and whose export queue is full. */
  spent: { key: string; projectId: string; domain: string }
  /** A project and a job of another organization. */
  foreign: { projectId: string; jobId: string }
}

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
  const agentJobId = createId('aj')
  await store.sites.insert({ domain, projectId, origin: 'http://127.0.0.1:9/', createdAt: now })
  await store.agentJobs.insert({
    projectId,
    id: agentJobId,
    status: 'active',
    source: { repository: 'https://git.example.com/acme/docs', ref: null },
    model: 'writer-2',
    prLink: null,
    createdAt: now,
    archivedAt: null,
  })
  const visitor = Buffer.alloc(16, 1)
  await store.visits.recordBatch(projectId, toViewBatch([{ visitor, path: '/', day: toDay(now), kind: 'human' }]))
  const queueJob = async (owner: string, domain: string) => {
    const jobId = createId('se')
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
    const times = { createdAt: now, updatedAt: now }
    const job = {
      jobId,
      organizationId: owner,
      request,
      status: 'queued' as const,
      progress: 0,
      pageCount: 0,
      error: null,
      ...times,
      bundle: null,
    }
    await store.exportJobs.start(job, undefined, 0)
  }
  const startJob = async (owner: string) => {
    await queueJob(owner, domain)
    // The lease lasts an hour, so that the runner of the server does not claim the job.
    const claimed = await store.exportJobs.claim('test', now, 3_600_000)
    if (!claimed) throw new Error('The job could not be claimed.')
    return claimed.lease
  }
  const completed = await startJob(organizationId)
  mkdirSync(join(dataFolder, 'bundles'), { recursive: true })
  writeFileSync(join(dataFolder, 'bundles', 'x.zip'), 'x')
  await store.exportJobs.complete(completed, { fileName: 'x.zip', sizeBytes: 1, sha256: 'a'.repeat(64) }, 1, now)
  const running = await startJob(organizationId)

  const spent = await createOrganization(store)
  for (const budget of budgets) {
    for (let taken = 0; taken < budget.quota; taken += 1)
      await store.rateLimits.take(spent.organizationId, budget, () => now)
  }
  const foreign = await createOrganization(store)
  const foreignJob = await startJob(foreign.organizationId)
  const fullDomain = 'docs.example.net'
  const origin = 'http://127.0.0.1:9/'
  await store.sites.insert({ domain: fullDomain, projectId: spent.projectId, origin, createdAt: now })
  // Twice the limit, because the server works them off meanwhile.
  for (let queued = 0; queued < 200; queued += 1) await queueJob(spent.organizationId, fullDomain)

  const state = {
    dataFolder,
    database,
    key: (await createApiKey(store, organizationId)).key,
    readOnlyKey: (await createApiKey(store, organizationId, { scopes: ['read'] })).key,
    ingestKey: (await createApiKey(store, organizationId, { scopes: ['ingest'] })).key,
    projectId,
    agentJobId,
    domain,
    completedJobId: completed.jobId,
    runningJobId: running.jobId,
    spent: {
      key: (await createApiKey(store, spent.organizationId)).key,
      projectId: spent.projectId,
      domain: fullDomain,
    },
    foreign: { projectId: foreign.projectId, jobId: foreignJob.jobId },
  }
  await store.close()
  return state
}
