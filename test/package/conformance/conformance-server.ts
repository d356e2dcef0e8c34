import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { toDay } from '../../../server/analytics/day.ts'
import { toViewBatch } from '../../../server/analytics/view-batch.ts'
import type { ServeFlags } from '../../../server/flags/serve-settings.ts'
import { startServer } from '../../../server/server.ts'
import { openStore, type SqliteStore, type Store } from '../../../server/store/store.ts'
import { createId } from '../../../server/tenancy/id.ts'
import { createSender, type Settings } from '../../../spec/package/conformance/index.ts'
import { prepareAgents } from '../../support/agent-runs.ts'
import { addCompletedJob } from '../../support/completed-job.ts'
import { createApiKey, createConfig, createOrganization } from '../../support/server.ts'

export interface ConformanceServer {
  url: string
  store: SqliteStore
  /** One organization for each name, with data for every check. They share no budget. */
  settings(name: string): Settings
  /** Forgets the counted requests of all organizations. */
  refillBudgets(): void
  dispose(): Promise<void>
}

const dayMs = 86_400_000

/** Starts a real server with an organization for each name. */
export async function startConformanceServer(
  names: readonly string[],
  flags: Partial<ServeFlags> = {},
): Promise<ConformanceServer> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-conformance-'))
  const store = openStore(dataFolder)
  // Log lines that the server receives are counted with it.
  await store.visits.openVisitorKey()
  // Before the server starts, because its runner would claim the jobs.
  const tenants = new Map<string, Omit<Settings, 'url'>>()
  for (const name of names)
    tenants.set(name, await addTenant(store, dataFolder, `${createId('org').slice('org_'.length)}.example.com`))
  const log = pino({ level: 'silent' })
  const database = new Database(join(dataFolder, 'quire.db'))
  const config = createConfig({ data: dataFolder, agent: 'demo', agentUnconfined: true, ...flags })
  // Agent jobs are taken, but none runs: what is asked about them does not depend on the moment.
  const server = await startServer({ ...config, agentRunner: undefined }, log)
  return {
    url: server.url,
    store,
    settings: name => ({ url: server.url, ...(tenants.get(name) as Omit<Settings, 'url'>) }),
    refillBudgets: () => void database.exec('DELETE FROM rate_limits'),
    async dispose() {
      database.close()
      store.close()
      await server.close()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

async function addTenant(store: Store, dataFolder: string, domain: string): Promise<Omit<Settings, 'url'>> {
  const now = Date.now()
  const { organizationId, projectId } = await createOrganization(store)
  const other = await createOrganization(store)
  // Nothing listens there, so exports fail at once.
  await store.sites.insert({ domain, projectId, origin: 'http://127.0.0.1:9/', createdAt: now })
  const { endedRunId: agentJob } = await prepareAgents(store, projectId, now)
  await store.visits.recordBatch(projectId, toViewBatch(makeViews(now)))
  const exportJob = await addCompletedJob(store, dataFolder, organizationId)
  return {
    key: (await createApiKey(store, organizationId)).key,
    otherKey: (await createApiKey(store, other.organizationId)).key,
    readKey: (await createApiKey(store, organizationId, { scopes: ['read'] })).key,
    // Each other scope includes read.
    writeKey: (await createApiKey(store, organizationId, { scopes: ['ingest'] })).key,
    project: projectId,
    agentJob,
    domain,
    exportJob: exportJob.jobId,
    seed: 20_251,
    maxRequests: 0,
    maxStarts: 2,
    timeoutMs: 10_000,
    maxWaitMs: 20_000,
    excluded: [],
  }
}

/** Seven pages on three days, two of them with the same counts. The last day with visits is three days ago. */
function makeViews(now: number) {
  const views = []
  for (let page = 0; page < 7; page++) {
    for (let visitor = 0; visitor <= Math.min(page, 5); visitor++) {
      for (const daysAgo of [3, 4, 30]) {
        views.push({
          visitor: Buffer.alloc(16, visitor + 1),
          path: `/page-${page}`,
          day: toDay(now - daysAgo * dayMs),
          kind: visitor % 3 === 0 ? ('ai' as const) : ('human' as const),
        })
      }
    }
  }
  return views
}

/** Closes the connections of a sender after the function. */
export async function withSender<T>(
  settings: Settings,
  use: (sender: ReturnType<typeof createSender>) => Promise<T>,
): Promise<T> {
  const sender = createSender(settings)
  try {
    return await use(sender)
  } finally {
    sender.close()
  }
}
