import { expect, test } from 'vitest'
import { dayMs } from '../../server/base/day-ms.ts'
import type { ExportJob } from '../../server/export/jobs/export-job.ts'
import { getAgentJob } from '../../server/operations/getAgentJob.ts'
import { toExportJobBody } from '../../server/operations/startStaticExportJob.ts'
import type { Webhook, WebhookEvent } from '../../server/webhooks/webhook.ts'
import { shareTests, type TestStore } from './stores.ts'
import { ids, insertOrganizations, now, project } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
  await store.projects.insert(project('prj_a'))
})

const leaseMs = 60_000
const sealed = Buffer.from('sealed')
const all: WebhookEvent[] = ['export.completed', 'export.failed', 'agent_job.updated', 'visits.lagging', 'key.expiring']

async function insert(
  id: string,
  fields: Partial<Webhook> = {},
): Promise<Omit<Webhook, 'disabledAt' | 'oldSecretEndsAt'>> {
  const webhook = {
    id,
    organizationId: 'org_a',
    url: `https://${id.slice(3)}.example.com/`,
    events: all,
    createdAt: now,
  }
  await store.webhooks.insert({ ...webhook, ...fields }, sealed)
  return { ...webhook, ...fields }
}

async function startExport(jobId: string) {
  const request = { domain: 'docs.example.com' } as ExportJob['request']
  const job = { jobId, organizationId: 'org_a', request, createdAt: now } as ExportJob
  await store.exportJobs.start(job, undefined, 0)
  const claimed = await store.exportJobs.claim('runner', now, leaseMs)
  return claimed?.lease as NonNullable<typeof claimed>['lease']
}

const agentJob = (id: string, status: 'active' | 'completed' = 'active') => ({
  projectId: 'prj_a',
  id,
  status,
  source: { repository: 'https://git.example.com/acme/docs', ref: null },
  model: 'writer-2',
  prLink: null,
  createdAt: now,
  archivedAt: null,
})

const listTypes = async (webhookId: string) =>
  (await store.webhookDeliveries.list(webhookId, { limit: 100 })).map(({ type }) => type)
const claim = async (at = now) => store.webhookDeliveries.claim(at, leaseMs, [])

stores.describe('webhooks', () => {
  test('a webhook is read as it was stored and changed', async () => {
    const webhook = await insert('wh_1')
    await insert('wh_2', { createdAt: now + 1, events: ['key.expiring'] })
    await insert('wh_3', { organizationId: 'org_b' })
    expect(await store.webhooks.find('wh_1')).toEqual({ ...webhook, disabledAt: null, oldSecretEndsAt: null })
    expect(await store.webhooks.findOwned('org_b', 'wh_1')).toBeUndefined()
    expect(ids(await store.webhooks.list('org_a'))).toEqual(['wh_1', 'wh_2'])
    expect(ids(await store.webhooks.list())).toHaveLength(3)
    const part = await store.webhooks.listPart('org_a', { contains: '2.EXAMPLE', limit: 10, offset: 0 })
    expect([ids(part.rows), part.count]).toEqual([['wh_2'], 1])
    expect(await store.webhooks.enable('wh_1')).toBe(false)
    expect(await store.webhooks.disable('wh_1', 'It is gone.', now)).toBe(true)
    expect(await store.webhooks.disable('wh_1', 'It is gone.', now)).toBe(false)
    expect(await store.webhooks.find('wh_1')).toMatchObject({ disabledAt: now })
    expect(await store.webhookDeliveries.enqueueTest('wh_1', now)).toBeUndefined()
    expect(await store.webhooks.enable('wh_1')).toBe(true)
    expect(await store.webhooks.rotateSecret('wh_1', Buffer.from('new'), now + dayMs)).toBe(true)
    expect(await store.webhooks.find('wh_1')).toMatchObject({ disabledAt: null, oldSecretEndsAt: now + dayMs })
    expect(await store.webhooks.delete('wh_1')).toBe(true)
    expect(await store.webhooks.delete('wh_1')).toBe(false)
    expect(await store.webhooks.rotateSecret('wh_1', sealed, now)).toBe(false)
  })

  test('after a rotation, both secrets sign until the old one ends', async () => {
    await insert('wh_1')
    await store.webhooks.rotateSecret('wh_1', Buffer.from('new'), now + dayMs)
    await store.webhookDeliveries.enqueueTest('wh_1', now)
    const secretsAt = async (at: number) => (await claim(at))?.sealedSecrets.map(each => Buffer.from(each).toString())
    expect(await secretsAt(now + 1)).toEqual(['new', 'sealed'])
    expect(await secretsAt(now + dayMs)).toEqual(['new'])
  })
})

stores.describe('events', () => {
  test('an export job that ends adds the job as the API answers it, once, for each webhook that wants it', async () => {
    await insert('wh_1')
    await insert('wh_2', { events: ['export.completed'] })
    await insert('wh_3', { events: ['export.failed'] })
    await insert('wh_4', { organizationId: 'org_b' })
    const lease = await startExport('se_1')
    const bundle = { fileName: 'se_1.zip', sizeBytes: 1, sha256: 'ab' }
    const changes = { added: 1, removed: 0, moved: 0, changed: 4 }
    expect(await store.exportJobs.complete(lease, bundle, 7, now + 5, changes)).toBe(true)
    expect(await store.exportJobs.complete(lease, bundle, 7, now + 6, null)).toBe(true)
    expect((await store.exportJobs.find('se_1'))?.changes).toEqual(changes)
    expect(await store.exportJobs.complete(lease, { ...bundle, fileName: 'other.zip' }, 7, now + 6)).toBe(false)
    const claimed = await claim(now + 10)
    const data = toExportJobBody((await store.exportJobs.find('se_1')) as ExportJob)
    expect(data).toMatchObject({ status: 'completed', progress: 100, pageCount: 7 })
    const timestamp = new Date(now + 5).toISOString()
    expect(JSON.parse(claimed?.body ?? '')).toEqual({ type: 'export.completed', timestamp, data, changes })
    const lists = await Promise.all(['wh_1', 'wh_2', 'wh_3', 'wh_4'].map(listTypes))
    expect(lists).toEqual([['export.completed'], ['export.completed'], [], []])
  })

  test('a job that fails or is cancelled adds one event, and a void lease none', async () => {
    await insert('wh_1')
    const lease = await startExport('se_1')
    expect(await store.exportJobs.fail({ ...lease, token: 9 }, 'No.', now)).toBe(false)
    expect(await listTypes('wh_1')).toEqual([])
    expect(await store.exportJobs.fail(lease, 'The site is down.', now)).toBe(true)
    expect(await store.exportJobs.fail(lease, 'The site is down.', now)).toBe(true)
    const claimed = await claim()
    const { data, changes } = JSON.parse(claimed?.body ?? '')
    expect(data).toMatchObject({ status: 'failed', error: 'The site is down.' })
    expect(changes).toBeNull()
    await startExport('se_2')
    expect(await store.exportJobs.cancel('se_2', 'Cancelled.', now)).toBe(true)
    expect(await store.exportJobs.cancel('se_2', 'Cancelled.', now)).toBe(false)
    expect(await listTypes('wh_1')).toEqual(['export.failed', 'export.failed'])
  })

  test('an agent job that changes adds the job as the API answers it, with its project', async () => {
    await insert('wh_1')
    await store.agentJobs.insert(agentJob('aj_1'))
    expect(await store.agentJobs.update({ ...agentJob('aj_1'), status: 'completed' }, 'active')).toBe(true)
    expect(await store.agentJobs.update({ ...agentJob('aj_1'), status: 'failed' }, 'active')).toBe(false)
    const claimed = await claim(Date.now() + 1)
    const answer = await getAgentJob({ params: { projectId: 'prj_a', id: 'aj_1' } } as never, store, {
      organizationId: 'org_a',
    } as never)
    const body = JSON.parse(claimed?.body ?? '')
    expect(body).toMatchObject({ type: 'agent_job.updated', data: { status: 'completed' } })
    expect(body.data).toEqual({ projectId: 'prj_a', ...answer.body })
  })

  test('jobs that are archived by age add their events', async () => {
    await insert('wh_1')
    for (const id of ['aj_1', 'aj_2']) await store.agentJobs.insert(agentJob(id, 'completed'))
    expect(await store.agentJobs.archiveOlderThan(now + 1, now + 2, 10)).toBe(2)
    expect(await listTypes('wh_1')).toEqual(['agent_job.updated', 'agent_job.updated'])
  })

  test('a change that is undone adds no event', async () => {
    await insert('wh_1')
    await store.agentJobs.insert(agentJob('aj_1'))
    const change = async () =>
      store.atomically(function* ({ agentJobs }) {
        yield* agentJobs.update({ ...agentJob('aj_1'), status: 'completed' }, 'active')
        throw new Error('undone')
      })
    await expect(change()).rejects.toThrow('undone')
    expect(await listTypes('wh_1')).toEqual([])
  })

  test('a key that expires soon is told once to each webhook, and an expired, a revoked or a lasting one never', async () => {
    await insert('wh_1')
    const key = { name: 'ci', last4: 'abcd', scopes: ['read' as const], createdAt: now, lastUsedAt: null }
    const expiries = [now + 6 * dayMs, now + 8 * dayMs, now - 1, null, now + dayMs]
    for (const [i, expiresAt] of expiries.entries()) {
      const revokedAt = i === 4 ? now : null
      await store.apiKeys.insert(
        { ...key, id: `key_${i}`, organizationId: 'org_a', expiresAt, revokedAt },
        Buffer.alloc(32, i),
      )
    }
    expect(await store.webhookDeliveries.enqueueExpiringKeys(now, now + 7 * dayMs)).toBe(1)
    expect(await store.webhookDeliveries.enqueueExpiringKeys(now, now + 7 * dayMs)).toBe(0)
    await insert('wh_2')
    expect(await store.webhookDeliveries.enqueueExpiringKeys(now + 1, now + 7 * dayMs)).toBe(1)
    const expiresAt = new Date(now + 6 * dayMs).toISOString()
    expect(JSON.parse((await claim(now + 2))?.body ?? '')).toEqual({
      type: 'key.expiring',
      timestamp: new Date(now).toISOString(),
      data: { keyId: 'key_0', name: 'ci', last4: 'abcd', expiresAt },
    })
  })

  test('a project that lags is told once, and again after another visit', async () => {
    await insert('wh_1')
    const lag = async (lastVisitAt: number, at: number) =>
      store.webhookDeliveries.enqueueLagging('prj_a', lastVisitAt, at)
    expect(await lag(now - 3 * dayMs, now)).toBe(1)
    expect(await lag(now - 3 * dayMs, now + dayMs)).toBe(0)
    expect(await lag(now + 2 * dayMs, now + 5 * dayMs)).toBe(1)
    // PostgreSQL noted the events by its own clock.
    const later = Math.max(now + 5 * dayMs, Date.now())
    expect(JSON.parse((await claim(later))?.body ?? '')).toMatchObject({
      type: 'visits.lagging',
      data: { projectId: 'prj_a', lastVisitAt: new Date(now - 3 * dayMs).toISOString() },
    })
  })
})
