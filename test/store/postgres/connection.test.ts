import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { UnavailableError } from '../../../server/base/unavailable-error.ts'
import type { ClaimedJob } from '../../../server/export/jobs/export-job.ts'
import { openPostgresStore, type PostgresStore } from '../../../server/store/postgres/store.ts'
import { queuedJob } from '../../support/export-job.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'
import { type CutProxy, openCutProxy } from './cut-proxy.ts'

const postgres = await findPostgres()
const now = Date.UTC(2026, 10, 23)
const organization = { id: 'org_1', name: 'Acme', plan: 'standard' as const, createdAt: now }

describe.skipIf('missing' in postgres)('a store on PostgreSQL', () => {
  let database: TestDatabase
  let proxy: CutProxy
  let store: PostgresStore
  let lost: string[]

  beforeAll(async () => {
    database = await createTestDatabase((postgres as { url: string }).url)
  })
  afterAll(() => database.drop())
  beforeEach(async () => {
    await database.clear()
    proxy = await openCutProxy(database.url)
    lost = []
    store = await openPostgresStore(proxy.url, error => lost.push(error.message))
    await store.organizations.insert(organization)
  })
  afterEach(async () => {
    await store.close()
    await proxy.close()
  })

  test('goes on after the server ended its connections, and says so', async () => {
    await Promise.all([1, 2, 3].map(() => store.organizations.list()))
    await database.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'quire' AND datname = current_database()`)
    await expect.poll(() => lost.length).toBe(3)
    expect(lost).toContain('terminating connection due to administrator command')
    expect(await store.organizations.list()).toEqual([organization])
  })

  test('waits for a server that comes back, with reads and writes', async () => {
    await proxy.cut()
    setTimeout(() => void proxy.restore(), 1000)
    const job = queuedJob({ jobId: 'se_1', organizationId: 'org_1', createdAt: now })
    const [found, changed, started] = await Promise.all([
      store.organizations.find('org_1'),
      store.organizations.updatePlan('org_1', 'enterprise'),
      store.exportJobs.start(job, 'key', 0),
    ])
    expect(found).toMatchObject({ id: 'org_1' })
    expect(changed).toBe(true)
    expect(started).toEqual({ job, isReplayed: false })
  })

  test('says after a few seconds that the server does not answer, and that nothing was changed', async () => {
    await proxy.cut()
    const startedAt = performance.now()
    const failure = await Promise.resolve(store.organizations.list()).catch(error => error)
    expect(failure).toBeInstanceOf(UnavailableError)
    expect(failure).toMatchObject({ reason: 'unreachable', code: 'ECONNREFUSED' })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    await proxy.restore()
    expect(await store.organizations.list()).toEqual([organization])
  })

  test('repeats a call whose answer was lost if a second time changes nothing', async () => {
    proxy.loseAnswerTo('enterprise')
    expect(await store.organizations.updatePlan('org_1', 'enterprise')).toBe(true)
    proxy.loseAnswerTo('org_1')
    expect(await store.organizations.find('org_1')).toMatchObject({ plan: 'enterprise' })
  })

  test('does not repeat a call whose answer was lost if a second time could change more', async () => {
    const event = {
      at: now,
      organizationId: null,
      action: 'site.created' as const,
      detail: null,
      actor: 'a',
      address: 'b',
    }
    proxy.loseAnswerTo('only once')
    const failure = await Promise.resolve(store.auditLog.append({ ...event, subject: 'only once' })).catch(e => e)
    expect(failure).toMatchObject({ message: expect.stringMatching(/ECONNRESET|Connection terminated/) })
    // An UnavailableError would promise that nothing was changed.
    expect(failure).not.toBeInstanceOf(UnavailableError)
    await expect.poll(async () => (await store.auditLog.list({ limit: 9 })).length).toBe(1)
  })

  test('begins a transaction again that lost its connection before the end', async () => {
    proxy.loseAnswerTo('se_1')
    const job = queuedJob({ jobId: 'se_1', organizationId: 'org_1', createdAt: now })
    expect(await store.exportJobs.start(job, 'key', 0)).toEqual({ job, isReplayed: false })
    expect(await store.exportJobs.list({})).toHaveLength(1)
  })

  test('completes a job once, and says so again if the answer was lost', async () => {
    await store.exportJobs.start(queuedJob({ jobId: 'se_1', organizationId: 'org_1', createdAt: now }), undefined, 0)
    const { lease } = (await store.exportJobs.claim('a', now, 60_000)) as ClaimedJob
    proxy.loseAnswerTo('se_1-1.zip')
    const bundle = { fileName: 'se_1-1.zip', sizeBytes: 2 ** 40, sha256: 'a'.repeat(64) }
    expect(await store.exportJobs.complete(lease, bundle, 3, now)).toBe(true)
    expect(await store.exportJobs.complete(lease, { ...bundle, fileName: 'other.zip' }, 3, now)).toBe(false)
    expect(await store.exportJobs.find('se_1')).toMatchObject({ status: 'completed', bundle })
  })

  test('readiness fails while the server does not answer', async () => {
    await store.check(now)
    await proxy.cut()
    await expect(store.check(now)).rejects.toMatchObject({ reason: 'unreachable' })
    await proxy.restore()
    await store.check(now)
  })

  test('leases use the clock of the database, not that of the node', async () => {
    const tenMinutes = 600_000
    await store.exportJobs.start(queuedJob({ jobId: 'se_1', organizationId: 'org_1', createdAt: now }), undefined, 0)
    const claimed = await store.exportJobs.claim('a', Date.now() - tenMinutes, 60_000)
    expect(claimed?.job.jobId).toBe('se_1')
    expect(await store.exportJobs.claim('b', Date.now() + tenMinutes, 60_000)).toBeUndefined()
    const [{ left = 0 } = {}] = await database.run('SELECT lease_expires_at - now_ms() AS left FROM export_jobs')
    expect(Number(left)).toBeGreaterThan(50_000)
    expect(Number(left)).toBeLessThanOrEqual(60_000)
  })
})
