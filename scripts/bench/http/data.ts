import { openPostgres } from '../../../server/store/open-postgres.ts'
import { openStore, type Store } from '../../../server/store/store.ts'
import { createKey, hashKey } from '../../../server/tenancy/api-key.ts'
import { createId } from '../../../server/tenancy/id.ts'
import type { Exchange } from './load.ts'

export interface BenchData {
  key: string
  organizationId: string
  projectIds: string[]
  /** The path and the correct body of each job. */
  exchanges: Exchange[]
}

const projectCount = 10

/** Makes one organization, one key, and agent jobs spread over ten projects. */
function makeData(jobCount: number) {
  const createdAt = Date.now()
  const organization = { id: createId('org'), name: 'Bench', plan: 'enterprise' as const, createdAt }
  const organizationId = organization.id
  const projects = Array.from({ length: projectCount }, () => ({
    id: createId('prj'),
    organizationId,
    name: 'Docs',
    visitorSaltRotation: 'never' as const,
    visitorRules: 2 as const,
    createdAt,
  }))
  const jobs = Array.from({ length: jobCount }, (_, i) => ({
    projectId: projects[i % projectCount]?.id ?? '',
    id: createId('aj'),
    status: 'completed' as const,
    source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
    model: 'writer-2',
    prLink: `https://git.example.com/acme/docs/pull/${i + 1}`,
    createdAt,
    archivedAt: null,
  }))
  return { key: createKey('quire_'), organization, projects, jobs }
}

/** Fills a store, and closes it. */
async function fill(store: Store, { key, organization, projects, jobs }: ReturnType<typeof makeData>): Promise<void> {
  try {
    await store.organizations.insert(organization)
    const { id: organizationId, createdAt } = organization
    await store.apiKeys.insert(
      {
        id: createId('key'),
        organizationId,
        name: 'bench',
        last4: key.slice(-4),
        scopes: ['read', 'write'],
        createdAt,
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
      },
      hashKey(key),
    )
    for (const project of projects) await store.projects.insert(project)
    await store.agentJobs.insertAll(jobs)
  } finally {
    await store.close()
  }
}

/** Fills a new data folder, and a PostgreSQL with the same. */
export async function createData(dataFolder: string, jobCount: number, database?: string): Promise<BenchData> {
  const made = makeData(jobCount)
  await fill(openStore(dataFolder), made)
  if (database !== undefined) await fill(await openPostgres(database, { dataFolder }), made)
  const { key, organization, projects, jobs } = made
  return {
    key,
    organizationId: organization.id,
    projectIds: projects.map(({ id }) => id),
    exchanges: jobs.map(({ projectId, ...job }) => ({
      path: `/v2/agent/${projectId}/job/${job.id}`,
      body: JSON.stringify({ ...job, createdAt: new Date(job.createdAt).toISOString() }),
    })),
  }
}
