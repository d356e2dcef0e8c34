import { expect, test } from 'vitest'
import type { AgentJob } from '../../server/agent/agent-job.ts'
import type { ApiKey } from '../../server/tenancy/api-key.ts'
import { shareTests, type TestStore } from './stores.ts'

const now = Date.UTC(2026, 10, 23)
let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  for (const [id, createdAt] of [
    ['org_b', now],
    ['org_B', now],
    ['org_a', now + 1],
  ] as const)
    await store.organizations.insert({ id, name: 'Acme', plan: 'standard', createdAt })
})

const project = (id: string, organizationId = 'org_a') => ({
  id,
  organizationId,
  name: 'Docs',
  visitorSaltRotation: 'month' as const,
  createdAt: now,
})
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

stores.describe('organizations and projects', () => {
  test('organizations are listed by age, then by the bytes of their ids', async () => {
    expect(ids(await store.organizations.list())).toEqual(['org_B', 'org_b', 'org_a'])
  })

  test('the plan of an organization changes; an unknown one has none', async () => {
    expect(await store.organizations.updatePlan('org_a', 'enterprise')).toBe(true)
    const changed = { id: 'org_a', name: 'Acme', plan: 'enterprise', createdAt: now + 1 }
    expect(await store.organizations.find('org_a')).toEqual(changed)
    expect(await store.organizations.updatePlan('org_x', 'enterprise')).toBe(false)
    expect(await store.organizations.find('org_x')).toBeUndefined()
  })

  test('a project is found by its organization only, and needs one', async () => {
    await store.projects.insert(project('prj_b'))
    await store.projects.insert(project('prj_B'))
    await store.projects.insert(project('prj_a', 'org_b'))
    expect(await store.projects.findOwned('org_a', 'prj_b')).toEqual(project('prj_b'))
    expect(await store.projects.findOwned('org_b', 'prj_b')).toBeUndefined()
    expect(await store.projects.find('prj_b')).toEqual(project('prj_b'))
    expect(ids(await store.projects.list())).toEqual(['prj_B', 'prj_a', 'prj_b'])
    expect(ids(await store.projects.list('org_a'))).toEqual(['prj_B', 'prj_b'])
    const lost = async () => store.projects.insert(project('prj_c', 'org_x'))
    await expect(lost()).rejects.toMatchObject({ code: stores.codes.foreignKey })
  })

  test('an id with a NUL, as %00 in a path gives it, is unknown', async () => {
    await store.projects.insert(project('prj_a'))
    expect(await store.projects.findOwned('org_a', 'prj_a\0')).toBeUndefined()
    expect(await store.projects.find('\0')).toBeUndefined()
    expect(await store.agentJobs.find('prj_a', 'aj\0')).toBeUndefined()
    expect(await store.exportJobs.findOwned('org_a', 'se\0')).toBeUndefined()
    expect(await store.exportJobs.delete('se\0', now, false)).toBe('unknown')
  })
})

stores.describe('sites', () => {
  test('a site is read as it was stored and changed', async () => {
    await store.projects.insert(project('prj_a'))
    const site = { domain: 'docs.example.com', projectId: 'prj_a', origin: null, createdAt: now }
    await store.sites.insert(site)
    await store.sites.insert({ ...site, domain: 'a.example.com' })
    expect(await store.sites.find('docs.example.com')).toEqual({ ...site, removal: null, allowedOrigins: [] })
    const removal = { selectors: ['#chat'], urls: [], keepSelectors: [], keepUrls: [] } as never
    expect(await store.sites.updateOrigin('docs.example.com', 'http://127.0.0.1:8080/')).toBe(true)
    expect(await store.sites.updateRemoval('docs.example.com', removal)).toBe(true)
    expect(await store.sites.updateAllowedOrigins('docs.example.com', ['http://10.0.0.1'])).toBe(true)
    expect(await store.sites.findOwned('org_a', 'docs.example.com')).toMatchObject({
      origin: 'http://127.0.0.1:8080/',
      removal: { selectors: ['#chat'] },
      allowedOrigins: ['http://10.0.0.1'],
    })
    await store.sites.updateAllowedOrigins('docs.example.com', [])
    await store.sites.updateRemoval('docs.example.com', null)
    expect(await store.sites.find('docs.example.com')).toMatchObject({ removal: null, allowedOrigins: [] })
    expect(await store.sites.findOwned('org_b', 'docs.example.com')).toBeUndefined()
    expect((await store.sites.list('org_a')).map(({ domain }) => domain)).toEqual(['a.example.com', 'docs.example.com'])
    expect(await store.sites.list('org_b')).toEqual([])
    expect(await store.sites.delete('docs.example.com')).toBe(true)
    expect(await store.sites.delete('docs.example.com')).toBe(false)
    expect(await store.sites.updateOrigin('docs.example.com', null)).toBe(false)
  })
})

stores.describe('API keys', () => {
  const key = (id: string, fields: Partial<ApiKey> = {}): ApiKey => ({
    id,
    organizationId: 'org_a',
    name: 'ci',
    last4: 'abcd',
    scopes: ['read', 'write'],
    createdAt: now,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...fields,
  })
  const secret = Buffer.alloc(32, 1)

  test('a key names its caller until it expires', async () => {
    await store.apiKeys.insert(key('key_1', { expiresAt: now + 100 }), secret)
    expect(await store.apiKeys.authenticate(secret, now + 99)).toEqual({
      keyId: 'key_1',
      keyName: 'ci',
      last4: 'abcd',
      organizationId: 'org_a',
      plan: 'standard',
      scopes: ['read', 'write'],
    })
    expect(await store.apiKeys.authenticate(secret, now + 100)).toBeUndefined()
    expect(await store.apiKeys.authenticate(Buffer.alloc(32, 2), now)).toBeUndefined()
  })

  test('a revoked key is refused, and is revoked once', async () => {
    await store.apiKeys.insert(key('key_1'), secret)
    expect(await store.apiKeys.revoke('key_1', now - 5)).toBe(true)
    expect(await store.apiKeys.revoke('key_1', now + 5)).toBe(false)
    expect(await store.apiKeys.authenticate(secret, now)).toBeUndefined()
    expect(await store.apiKeys.list('org_a')).toEqual([key('key_1', { revokedAt: now })])
  })

  test('the time of use is stored once a minute', async () => {
    await store.apiKeys.insert(key('key_1'), secret)
    for (const [afterMs, storedMs] of [
      [0, 0],
      [59_999, 0],
      [60_000, 60_000],
      [119_999, 60_000],
      [-60_001, -60_001],
    ] as const) {
      await store.apiKeys.authenticate(secret, now + afterMs)
      expect([afterMs, (await store.apiKeys.list())[0]?.lastUsedAt]).toEqual([afterMs, now + storedMs])
    }
  })
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
    await store.projects.insert(project('prj_a'))
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
    await store.projects.insert(project('prj_a'))
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
    await store.projects.insert(project('prj_a'))
    const done = { status: 'completed' as const, createdAt: now + 1 }
    await store.agentJobs.insertAll([job('aj_b'), job('aj_B'), job('aj_c', done)])
    expect(ids(await store.agentJobs.list('prj_a'))).toEqual(['aj_c', 'aj_B', 'aj_b'])
    expect(ids(await store.agentJobs.list('prj_a', 'active', 1))).toEqual(['aj_B'])
    expect(await store.agentJobs.list('prj_a', 'failed')).toEqual([])
  })

  test('an update needs the status that it starts from', async () => {
    await store.projects.insert(project('prj_a'))
    await store.agentJobs.insert(job('aj_1'))
    const next = job('aj_1', { status: 'completed', prLink: 'https://git.example.com/1' })
    expect(await store.agentJobs.update(next, 'failed')).toBe(false)
    expect(await store.agentJobs.update(next, 'active')).toBe(true)
    expect(await store.agentJobs.find('prj_a', 'aj_1')).toEqual(next)
  })

  test('old jobs that have ended are archived, some at a time', async () => {
    await store.projects.insert(project('prj_a'))
    const ended = ['aj_1', 'aj_2', 'aj_3'].map(id => job(id, { status: 'failed' }))
    await store.agentJobs.insertAll([...ended, job('aj_4'), job('aj_5', { status: 'failed', createdAt: now + 9 })])
    expect(await store.agentJobs.archiveOlderThan(now + 9, now + 20, 2)).toBe(2)
    expect(await store.agentJobs.archiveOlderThan(now + 9, now + 20, 2)).toBe(1)
    expect(await store.agentJobs.archiveOlderThan(now + 9, now + 20, 2)).toBe(0)
    expect(ids(await store.agentJobs.list('prj_a', 'archived'))).toEqual(['aj_1', 'aj_2', 'aj_3'])
    expect(await store.agentJobs.find('prj_a', 'aj_1')).toMatchObject({ archivedAt: now + 20 })
  })
})
