import { openStore } from '../../../server/store/store.ts'
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

/** Fills a new data folder with one organization, one key, and agent jobs spread over ten projects. */
export async function createData(dataFolder: string, jobCount: number): Promise<BenchData> {
  const store = openStore(dataFolder)
  try {
    const createdAt = Date.now()
    const organizationId = createId('org')
    await store.organizations.insert({ id: organizationId, name: 'Bench', plan: 'enterprise', createdAt })
    const key = createKey('quire_')
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
    const projectIds = Array.from({ length: projectCount }, () => createId('prj'))
    for (const id of projectIds) {
      await store.projects.insert({ id, organizationId, name: 'Docs', visitorSaltRotation: 'never', createdAt })
    }
    const jobs = Array.from({ length: jobCount }, (_, i) => ({
      projectId: projectIds[i % projectCount] as string,
      id: createId('aj'),
      status: 'completed' as const,
      source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
      model: 'writer-2',
      prLink: `https://git.example.com/acme/docs/pull/${i + 1}`,
      createdAt,
      archivedAt: null,
    }))
    await store.agentJobs.insertAll(jobs)
    return {
      key,
      organizationId,
      projectIds,
      exchanges: jobs.map(({ projectId, ...job }) => ({
        path: `/v2/agent/${projectId}/job/${job.id}`,
        body: JSON.stringify({ ...job, createdAt: new Date(createdAt).toISOString() }),
      })),
    }
  } finally {
    store.close()
  }
}
