import { expect, test } from 'vitest'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import type { ExportJob } from '../../server/export/jobs/export-job.ts'
import { connect } from '../../server/store/postgres/database.ts'
import { changeVisits } from '../../server/store/postgres/visits/visited-projects.ts'
import { type StoreKind, shareTests, type TestStore } from './stores.ts'

let store: TestStore
const now = Date.UTC(2026, 10, 22)
const stores = shareTests(async opened => {
  store = opened.store
  for (const number of [1, 2]) await fill(number)
})

/** Gives an organization one of everything. */
async function fill(number: number): Promise<void> {
  const organizationId = `org_${number}`
  const projectId = `prj_${number}`
  await store.organizations.insert({ id: organizationId, name: 'Acme', plan: 'enterprise', createdAt: now })
  await store.projects.insert({
    id: projectId,
    organizationId,
    name: 'Docs',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: now,
  })
  await store.sites.insert({ domain: `${number}.example.com`, projectId, origin: null, createdAt: now })
  const key = {
    name: 'ci',
    last4: 'abcd',
    scopes: ['read' as const],
    createdAt: now,
    expiresAt: null,
    lastUsedAt: null,
  }
  await store.apiKeys.insert({ ...key, id: `key_${number}`, organizationId, revokedAt: null }, Buffer.alloc(32, number))
  const person = { id: `usr_${number}`, organizationId, name: 'Ada', createdAt: now }
  await store.people.insert(person)
  await store.signInLinks.insert({
    tokenSha256: Buffer.alloc(32, number),
    personId: person.id,
    createdAt: now,
    expiresAt: now + 1,
  })
  await store.sessions.insert(
    {
      id: `ses_${number}`,
      personId: person.id,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + 1000,
      address: '203.0.113.9',
    },
    Buffer.alloc(32, number),
  )
  await store.auditLog.append({
    at: now,
    organizationId,
    action: 'organization.created',
    subject: organizationId,
    detail: 'Acme',
    actor: 'command line (ada)',
    address: 'host-1',
  })
  const page = 'https://git.example.com/acme/docs'
  await store.agentSources.put(
    { projectId, url: page, page, branch: 'main', folders: [], forge: 'branch', isDraft: false },
    null,
  )
  await store.agentRuns.start(
    {
      ...{ projectId, id: 'aj_1', status: 'active', model: 'writer-2', prLink: null, createdAt: now, archivedAt: null },
      source: { repository: page, ref: null },
    },
    { prompt: 'Fix the typo.', branch: 'main', folder: null, isDraft: false },
    { active: 1, openPullRequests: 1 },
  )
  const view = { visitor: Buffer.alloc(16, number), path: '/', day: 1, kind: 'human' as const }
  await store.visits.recordBatch(projectId, toViewBatch([view]))
  await store.rateLimits.take(organizationId, { budget: 'analytics', quota: 9, windowSeconds: 60 }, () => now)
  const webhook = { id: `wh_${number}`, organizationId, url: 'https://a.example.com/', createdAt: now }
  await store.webhooks.insert({ ...webhook, events: ['export.failed'] }, Buffer.from('sealed'))
  await store.webhookDeliveries.enqueueTest(webhook.id, now)
  await store.exportJobs.start(job(`se_${number}`, organizationId, `${number}.example.com`), `once-${number}`, 0)
}

function job(jobId: string, organizationId: string, domain: string): ExportJob {
  return {
    jobId,
    organizationId,
    request: {
      domain,
      version: null,
      paths: null,
      deployment: 'air-gapped',
      features: { search: false, assistant: false, analytics: false, playground: false },
      offlineSearch: false,
      verify: null,
      format: 'zip',
    },
    status: 'queued',
    progress: 0,
    pageCount: 0,
    error: null,
    createdAt: now,
    updatedAt: now,
    bundle: null,
  }
}

const parents = ['organizations', 'projects', 'export_jobs', 'people', 'webhooks', 'agent_jobs', 'agent_runs']
const tables: Record<StoreKind, string> = {
  SQLite: `SELECT DISTINCT t.name FROM sqlite_schema t LEFT JOIN pragma_foreign_key_list(t.name) f
    WHERE t.type = 'table' AND (f."table" IN (${parents.map(name => `'${name}'`)}) OR t.name = 'organizations')`,
  PostgreSQL: `SELECT DISTINCT t.relname AS name FROM pg_class t LEFT JOIN pg_constraint f ON f.conrelid = t.oid
    WHERE t.relkind IN ('r', 'p') AND (f.confrelid = ANY ('{${parents}}'::regclass[])
      OR t.oid = 'organizations'::regclass)`,
}

/** Rows of each table that refers to a tenant, itself or through another. */
async function countRows(kind: StoreKind): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name } of await stores.run(tables[kind])) {
    const [row] = await stores.run(`SELECT count(*) AS rows FROM ${name}`)
    counts[String(name)] = Number(row?.rows)
  }
  return counts
}

stores.describe('a removal', kind => {
  test('finish deletes every row of the organization, and no other', async () => {
    const before = await countRows(kind)
    // A new table with tenants needs its place in the deletion, and a row here.
    const names = Object.keys(before)
    expect(names).toContain('agent_jobs')
    expect(names.map(name => [name, before[name]])).toEqual(names.map(name => [name, 2]))
    expect(await store.organizationRemoval.begin('org_1', now)).toEqual({
      projects: ['prj_1'],
      bundles: [],
      domains: ['1.example.com'],
    })
    await store.organizationRemoval.finish('org_1')
    const after = await countRows(kind)
    expect(names.map(name => [name, after[name]])).toEqual(names.map(name => [name, 1]))
    expect(await store.organizations.find('org_2')).toMatchObject({ id: 'org_2' })
  })

  test('the audit events of a deleted organization stay', async () => {
    await store.organizationRemoval.begin('org_1', now)
    await store.organizationRemoval.finish('org_1')
    expect(await store.auditLog.list({ organizationId: 'org_1', limit: 10 })).toMatchObject([
      { action: 'organization.created', detail: 'Acme' },
    ])
  })

  test('begin ends the sessions and sign-in links of its people, and no others', async () => {
    await store.organizationRemoval.begin('org_1', now)
    expect(await store.sessions.find(Buffer.alloc(32, 1), now)).toBeUndefined()
    expect(await store.signInLinks.find(Buffer.alloc(32, 1), now)).toBeUndefined()
    expect(await store.sessions.find(Buffer.alloc(32, 2), now)).toMatchObject({ person: { id: 'usr_2' } })
    expect(await store.signInLinks.find(Buffer.alloc(32, 2), now)).toMatchObject({ id: 'usr_2' })
  })

  test('begin revokes the keys and drops the exports that wait, and can be repeated', async () => {
    await store.organizationRemoval.begin('org_1', now)
    expect(await store.apiKeys.authenticate(Buffer.alloc(32, 1), now)).toBeUndefined()
    expect(await store.apiKeys.authenticate(Buffer.alloc(32, 2), now)).toMatchObject({ organizationId: 'org_2' })
    expect(await store.exportJobs.find('se_1')).toBeUndefined()
    expect(await store.organizationRemoval.begin('org_1', now)).toMatchObject({ projects: ['prj_1'] })
  })

  test('begin changes nothing while an export runs; without its lease, the export is dropped', async () => {
    await store.exportJobs.claim('runner', now, 10_000)
    expect(await store.organizationRemoval.begin('org_1', now + 1)).toEqual({ running: ['se_1'] })
    expect(await store.apiKeys.authenticate(Buffer.alloc(32, 1), now)).toMatchObject({ organizationId: 'org_1' })
    expect(await store.organizationRemoval.begin('org_1', now + 20_000)).toMatchObject({ domains: ['1.example.com'] })
    expect(await store.exportJobs.find('se_1')).toBeUndefined()
  })

  test('count says how much is deleted', async () => {
    expect(await store.organizationRemoval.count('org_1')).toEqual({
      projects: 1,
      sites: 1,
      keys: 1,
      people: 1,
      agentJobs: 1,
      exports: 1,
    })
  })

  test.runIf(kind === 'PostgreSQL')('finish does not wait for a long import', async () => {
    await store.organizationRemoval.begin('org_1', now)
    const database = connect(String(stores.url))
    try {
      await changeVisits(database, 'prj_1', async () => {
        const finished = store.atomically(({ organizationRemoval }) => organizationRemoval.finish('org_1'))
        await expect(finished).rejects.toMatchObject({ reason: 'locked' })
      })
    } finally {
      await database.close()
    }
    await store.organizationRemoval.finish('org_1')
    expect(await store.organizations.find('org_1')).toBeUndefined()
  })

  test('what another node writes meanwhile goes too, or is refused', async () => {
    const other = await stores.openOther()
    const budget = { budget: 'other', quota: 9, windowSeconds: 60 }
    const writes = Array.from({ length: 30 }, async (_, i) => {
      await other.exportJobs.start(job(`se_1_${i}`, 'org_1', '1.example.com'), `key ${i}`, 0)
      await other.rateLimits.take('org_1', { ...budget, budget: `b${i}` }, () => now)
    })
    const settled = Promise.allSettled(writes)
    expect(await store.organizationRemoval.begin('org_1', now)).toMatchObject({ projects: ['prj_1'] })
    await store.organizationRemoval.finish('org_1')
    for (const write of await settled) {
      if (write.status === 'rejected') expect(write.reason).toMatchObject({ code: stores.codes.foreignKey })
    }
    const left = await countRows(kind)
    expect(left).toEqual(Object.fromEntries(Object.keys(left).map(name => [name, 1])))
  })
})
