import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import type { ExportJob } from '../../server/export/jobs/export-job.ts'
import { openStore, type SqliteStore } from '../../server/store/store.ts'

let folder: string
let store: SqliteStore
const now = Date.UTC(2026, 10, 22)

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-removal-'))
  store = openStore(folder)
  for (const number of [1, 2]) await fill(number)
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Gives an organization one of everything. */
async function fill(number: number): Promise<void> {
  const organizationId = `org_${number}`
  const projectId = `prj_${number}`
  store.organizations.insert({ id: organizationId, name: 'Acme', plan: 'enterprise', createdAt: now })
  store.projects.insert({ id: projectId, organizationId, name: 'Docs', visitorSaltRotation: 'never', createdAt: now })
  store.sites.insert({ domain: `${number}.example.com`, projectId, origin: null, createdAt: now })
  const key = {
    name: 'ci',
    last4: 'abcd',
    scopes: ['read' as const],
    createdAt: now,
    expiresAt: null,
    lastUsedAt: null,
  }
  store.apiKeys.insert({ ...key, id: `key_${number}`, organizationId, revokedAt: null }, Buffer.alloc(32, number))
  const person = { id: `usr_${number}`, organizationId, name: 'Ada', createdAt: now }
  store.people.insert(person)
  store.signInLinks.insert({
    tokenSha256: Buffer.alloc(32, number),
    personId: person.id,
    createdAt: now,
    expiresAt: now + 1,
  })
  store.sessions.insert(
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
  store.auditLog.append({
    at: now,
    organizationId,
    action: 'organization.created',
    subject: organizationId,
    detail: 'Acme',
    actor: 'command line (ada)',
    address: 'host-1',
  })
  store.agentJobs.insert({
    projectId,
    id: 'aj_1',
    status: 'active',
    source: { repository: 'https://git.example.com/acme/docs', ref: null },
    model: 'writer-2',
    prLink: null,
    createdAt: now,
    archivedAt: null,
  })
  store.rateLimits.replace(organizationId, 'analytics', () => ({ arrivalAt: now, storedAt: now }))
  await store.exportJobs.start(job(`se_${number}`, organizationId, `${number}.example.com`), `once-${number}`, 0)
  await store.visits.recordBatch(
    projectId,
    toViewBatch([{ visitor: Buffer.alloc(16, 1), path: '/', day: 1, kind: 'human' }]),
  )
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

/** Rows of each table that refers to a tenant, itself or through another. */
function countRows(): Record<string, number> {
  const database = new Database(join(folder, 'quire.db'), { readonly: true })
  try {
    const tables = database
      .prepare<[], string>(
        `SELECT DISTINCT t.name FROM sqlite_schema t LEFT JOIN pragma_foreign_key_list(t.name) f
         WHERE t.type = 'table' AND (f."table" IN ('organizations', 'projects', 'export_jobs', 'people') OR t.name = 'organizations')`,
      )
      .pluck()
      .all()
    return Object.fromEntries(
      tables.map(table => [table, database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number]),
    )
  } finally {
    database.close()
  }
}

test('finish deletes every row of the organization, and no other', () => {
  const before = countRows()
  // A new table with tenants needs its place in the deletion, and a row here.
  const tables = Object.keys(before)
  expect(tables.map(table => [table, before[table]])).toEqual(tables.map(table => [table, 2]))
  expect(store.organizationRemoval.begin('org_1', now)).toEqual({
    projects: ['prj_1'],
    bundles: [],
    domains: ['1.example.com'],
  })
  store.organizationRemoval.finish('org_1')
  const after = countRows()
  expect(tables.map(table => [table, after[table]])).toEqual(tables.map(table => [table, 1]))
  expect(store.organizations.find('org_2')).toMatchObject({ id: 'org_2' })
})

test('the audit events of a deleted organization stay', async () => {
  store.organizationRemoval.begin('org_1', now)
  store.organizationRemoval.finish('org_1')
  expect(await store.auditLog.list({ organizationId: 'org_1', limit: 10 })).toMatchObject([
    { action: 'organization.created', detail: 'Acme' },
  ])
})

test('begin ends the sessions and sign-in links of its people, and no others', async () => {
  store.organizationRemoval.begin('org_1', now)
  expect(await store.sessions.find(Buffer.alloc(32, 1), now)).toBeUndefined()
  expect(await store.signInLinks.find(Buffer.alloc(32, 1), now)).toBeUndefined()
  expect(await store.sessions.find(Buffer.alloc(32, 2), now)).toMatchObject({ person: { id: 'usr_2' } })
  expect(await store.signInLinks.find(Buffer.alloc(32, 2), now)).toMatchObject({ id: 'usr_2' })
})

test('begin revokes the keys and drops the exports that wait, and can be repeated', async () => {
  store.organizationRemoval.begin('org_1', now)
  expect(await store.apiKeys.authenticate(Buffer.alloc(32, 1), now)).toBeUndefined()
  expect(await store.apiKeys.authenticate(Buffer.alloc(32, 2), now)).toMatchObject({ organizationId: 'org_2' })
  expect(await store.exportJobs.find('se_1')).toBeUndefined()
  expect(store.organizationRemoval.begin('org_1', now)).toMatchObject({ projects: ['prj_1'] })
})

test('begin changes nothing while an export runs; without its lease, the export is dropped', async () => {
  await store.exportJobs.claim('runner', now, 10_000)
  expect(store.organizationRemoval.begin('org_1', now + 1)).toEqual({ running: ['se_1'] })
  expect(await store.apiKeys.authenticate(Buffer.alloc(32, 1), now)).toMatchObject({ organizationId: 'org_1' })
  expect(store.organizationRemoval.begin('org_1', now + 20_000)).toMatchObject({ domains: ['1.example.com'] })
  expect(await store.exportJobs.find('se_1')).toBeUndefined()
})

test('count says how much is deleted', () => {
  expect(store.organizationRemoval.count('org_1')).toEqual({
    projects: 1,
    sites: 1,
    keys: 1,
    people: 1,
    agentJobs: 1,
    exports: 1,
  })
})

test('the visits of a project are deleted with their file', async () => {
  store.visits.deleteFile('prj_1')
  expect([existsSync(join(folder, 'visits/prj_1.db')), existsSync(join(folder, 'visits/prj_2.db'))]).toEqual([
    false,
    true,
  ])
  expect((await store.visits.countUniqueVisitors('prj_1', {}, { limit: 1, offset: 0 })).totals.total).toBe(0)
})
