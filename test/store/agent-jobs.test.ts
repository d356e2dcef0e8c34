import { expect, test } from 'vitest'
import type { AgentJob } from '../../server/agent/agent-job.ts'
import { refuseUnstorable } from '../../server/store/agent-jobs.ts'
import { shareTests, type TestStore } from './stores.ts'
import { ids, insertOrganizations, now, project } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
  await store.projects.insert(project('prj_a'))
})

stores.describe('agent jobs', () => {
  const job = (id: string, fields: Partial<AgentJob> = {}): AgentJob => ({
    projectId: 'prj_a',
    id,
    status: 'active',
    source: { repository: 'https://git.example.com/docs', ref: null },
    model: 'writer "2" \\ ü',
    prLink: null,
    createdAt: now,
    archivedAt: null,
    ...fields,
  })

  test('a job is read as it was inserted, once', async () => {
    const first = job('aj_1', { source: { repository: 'https://git.example.com/x', ref: 'main' } })
    expect(await store.agentJobs.insert(first)).toBe(true)
    expect(await store.agentJobs.insert(job('aj_1'))).toBe(false)
    expect(await store.agentJobs.find('prj_a', 'aj_1')).toEqual(first)
    expect(await store.agentJobs.find('prj_b', 'aj_1')).toBeUndefined()
    expect(await store.agentJobs.findOwned('org_a', 'prj_a', 'aj_1')).toEqual(first)
    expect(await store.agentJobs.findOwned('org_b', 'prj_a', 'aj_1')).toBeUndefined()
    expect(await store.agentJobs.findOwned('org_a', 'prj_a', 'aj_9')).toBeUndefined()
    expect(await store.agentJobs.findOwned('org_a', 'prj_a', 'aj\0')).toBeUndefined()
  })

  test('an import inserts what is new, also if a job is in it twice, and nothing if one is wrong', async () => {
    await store.agentJobs.insert(job('aj_1'))
    expect(await store.agentJobs.insertAll([job('aj_1', { model: 'x' }), job('aj_2'), job('aj_2'), job('aj_3')])).toBe(
      2,
    )
    expect(await store.agentJobs.find('prj_a', 'aj_1')).toEqual(job('aj_1'))
    expect(await store.agentJobs.find('prj_a', 'aj_3')).toEqual(job('aj_3'))
    expect(await store.agentJobs.insertAll([])).toBe(0)
    const wrong = async () => store.agentJobs.insertAll([job('aj_4'), job('aj_5', { projectId: 'prj_x' })])
    await expect(wrong()).rejects.toMatchObject({ code: stores.codes.foreignKey })
    expect(await store.agentJobs.find('prj_a', 'aj_4')).toBeUndefined()
  })

  test('jobs are listed newest first, then by the bytes of their ids, of one status or of all', async () => {
    const done = { status: 'completed' as const, createdAt: now + 1 }
    await store.agentJobs.insertAll([job('aj_b'), job('aj_B'), job('aj_c', done)])
    expect(ids(await store.agentJobs.list('prj_a'))).toEqual(['aj_c', 'aj_B', 'aj_b'])
    expect(ids(await store.agentJobs.list('prj_a', 'active', 1))).toEqual(['aj_B'])
    expect(await store.agentJobs.list('prj_a', 'failed')).toEqual([])
  })

  test('an update needs the status that it starts from', async () => {
    await store.agentJobs.insert(job('aj_1'))
    const next = job('aj_1', { status: 'completed', prLink: 'https://git.example.com/1' })
    expect(await store.agentJobs.update(next, 'failed')).toBe(false)
    expect(await store.agentJobs.update(next, 'active')).toBe(true)
    expect(await store.agentJobs.find('prj_a', 'aj_1')).toEqual(next)
  })

  test('old jobs that have ended are archived, some at a time', async () => {
    const ended = ['aj_1', 'aj_2', 'aj_3'].map(id => job(id, { status: 'failed' }))
    await store.agentJobs.insertAll([...ended, job('aj_4'), job('aj_5', { status: 'failed', createdAt: now + 9 })])
    expect(await store.agentJobs.archiveOlderThan(now + 9, now + 20, 2)).toBe(2)
    expect(await store.agentJobs.archiveOlderThan(now + 9, now + 20, 2)).toBe(1)
    expect(await store.agentJobs.archiveOlderThan(now + 9, now + 20, 2)).toBe(0)
    expect(ids(await store.agentJobs.list('prj_a', 'archived'))).toEqual(['aj_1', 'aj_2', 'aj_3'])
    expect(await store.agentJobs.find('prj_a', 'aj_1')).toMatchObject({ archivedAt: now + 20 })
  })
})

test.each([
  ['main', 'writer\u0000', 'model has a NUL character (\\u0000).'],
  ['\u0000', 'writer', 'source.ref has a NUL character'],
  ['main', 'writer\ud800', 'model has half of a surrogate pair'],
])('refuses a job with the ref %j and the model %j: %s', (ref, model, message) => {
  const job = { source: { repository: 'https://git.example.com/acme/docs', ref }, model } as AgentJob
  expect(() => refuseUnstorable(job)).toThrow(message)
})
