import { expect, test } from 'vitest'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { shareTests, type TestStore } from './stores.ts'
import { ids, insertOrganizations, now, project } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
  for (const number of [1, 2]) await fill(`prj_${number}`, `${number}.example.com`)
})

/** Gives a project a site, an agent job and a visit. */
async function fill(projectId: string, domain: string): Promise<void> {
  await store.projects.insert(project(projectId))
  await store.sites.insert({ domain, projectId, origin: null, createdAt: now })
  await store.agentJobs.insert({
    ...{ projectId, id: 'aj_1', status: 'active', model: 'writer-2', prLink: null, createdAt: now, archivedAt: null },
    source: { repository: 'https://git.example.com/acme/docs', ref: null },
  })
  const view = { visitor: Buffer.alloc(16, 1), path: '/', day: 1, kind: 'human' as const }
  await store.visits.recordBatch(projectId, toViewBatch([view]))
}

stores.describe('a removal', kind => {
  test('of a project deletes its rows, and those of no other', async () => {
    expect(await store.projectRemoval.count('prj_1')).toEqual({ sites: 1, agentJobs: 1, keys: 0 })
    await store.projectRemoval.finish('prj_1', now)
    expect(ids(await store.projects.list())).toEqual(['prj_2'])
    expect((await store.sites.list()).map(({ domain }) => domain)).toEqual(['2.example.com'])
    expect(await store.projectRemoval.count('prj_1')).toEqual({ sites: 0, agentJobs: 0, keys: 0 })
    expect(await store.projectRemoval.count('prj_2')).toEqual({ sites: 1, agentJobs: 1, keys: 0 })
    if (kind === 'PostgreSQL')
      expect(await stores.run('SELECT project_id FROM visited_projects')).toEqual([{ project_id: 'prj_2' }])
    await store.projectRemoval.finish('prj_1', now)
    expect(ids(await store.projects.list())).toEqual(['prj_2'])
  })

  test('of a project revokes the keys that work only with it', async () => {
    const key = {
      ...{ organizationId: 'org_a', name: 'ci', last4: 'abcd', scopes: ['read' as const], createdAt: now },
      ...{ expiresAt: null, lastUsedAt: null, revokedAt: null },
    }
    for (const [number, projectIds] of [['prj_1'], ['prj_1', 'prj_2'], []].entries())
      await store.apiKeys.insert({ ...key, id: `key_${number}`, projectIds }, Buffer.alloc(32, number + 1))
    expect(await store.projectRemoval.count('prj_1')).toMatchObject({ keys: 1 })
    await store.projectRemoval.finish('prj_1', now)
    const found = await Promise.all([1, 2, 3].map(number => store.apiKeys.authenticate(Buffer.alloc(32, number), now)))
    expect(found.map(each => each !== undefined)).toEqual([false, true, true])
  })
})
