import { expect, test } from 'vitest'
import { dayMs } from '../../server/base/day-ms.ts'
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
const claim = async (at = now, busy: string[] = []) => store.webhookDeliveries.claim(at, leaseMs, busy)
const delivered = { status: 'delivered', responseStatus: 200, error: null } as const

stores.describe('deliveries', kind => {
  const enqueueTests = async (webhookId: string, count: number) => {
    for (let i = 0; i < count; i += 1) await store.webhookDeliveries.enqueueTest(webhookId, now + i)
  }

  test('a claimed delivery is due again when its lease has expired, and the first claim is then void', async () => {
    await insert('wh_1')
    await enqueueTests('wh_1', 1)
    const first = await claim()
    expect(first?.delivery).toMatchObject({ attempts: 1, status: 'pending', lastAttemptAt: now })
    expect(await claim(now + leaseMs - 1)).toBeUndefined()
    const second = await claim(now + leaseMs)
    expect(second).toMatchObject({ firstAttemptAt: now, delivery: { id: first?.delivery.id, attempts: 2 } })
    expect(await store.webhookDeliveries.record(first?.delivery as never, delivered, now)).toBe(false)
    expect(await store.webhookDeliveries.record(second?.delivery as never, delivered, now)).toBe(true)
    const [listed] = await store.webhookDeliveries.list('wh_1', { limit: 1 })
    expect(listed).toMatchObject({ status: 'delivered', responseStatus: 200, nextAttemptAt: null, attempts: 2 })
    expect(await claim(now + dayMs)).toBeUndefined()
  })

  test('a retry is due after its delay, and a delivery of the future at once, because the clock was set back', async () => {
    await insert('wh_1')
    await enqueueTests('wh_1', 1)
    const first = await claim()
    const retry = { status: 'pending', responseStatus: 500, error: 'It failed.', delayMs: 5000 } as const
    await store.webhookDeliveries.record(first?.delivery as never, retry, now)
    expect(await claim(now + 4999)).toBeUndefined()
    expect((await claim(now - 30 * dayMs))?.delivery).toMatchObject({ attempts: 2, error: 'It failed.' })
  })

  test('later events of a subject wait until the earlier one is delivered or given up', async () => {
    await insert('wh_1')
    await insert('wh_2')
    for (const id of ['aj_1', 'aj_2']) {
      await store.agentJobs.insert(agentJob(id))
      await store.agentJobs.update({ ...agentJob(id), status: 'completed' }, 'active')
    }
    await store.agentJobs.update({ ...agentJob('aj_1'), status: 'archived', archivedAt: now }, 'completed')
    const at = Date.now() + 1000
    const claimed = [await claim(at), await claim(at), await claim(at), await claim(at), await claim(at)]
    const firsts = claimed.map(each => each && `${each.webhook.id} ${each.delivery.subject}`).toSorted()
    expect(firsts).toEqual(['wh_1 prj_a aj_1', 'wh_1 prj_a aj_2', 'wh_2 prj_a aj_1', 'wh_2 prj_a aj_2', undefined])
    const ofFirst = claimed.filter(each => each?.delivery.subject === 'prj_a aj_1').map(each => each?.delivery)
    await store.webhookDeliveries.record(ofFirst[0] as never, delivered, at)
    const failed = { status: 'failed', responseStatus: 500, error: 'It failed.' } as const
    await store.webhookDeliveries.record(ofFirst[1] as never, failed, at)
    const later = [await claim(at), await claim(at)]
    expect(later.map(each => JSON.parse(each?.body ?? '').data.status)).toEqual(['archived', 'archived'])
    expect(later.map(each => each?.webhook.id).toSorted()).toEqual(['wh_1', 'wh_2'])
  })

  test('a busy webhook lets others go first', async () => {
    await insert('wh_1')
    await enqueueTests('wh_1', 2)
    await insert('wh_2')
    await enqueueTests('wh_2', 1)
    expect((await claim(now + 10, ['wh_1']))?.webhook.id).toBe('wh_2')
    expect(await claim(now + 10, ['wh_1'])).toBeUndefined()
  })

  test('stores that claim at once never get the same delivery', async () => {
    await insert('wh_1')
    await enqueueTests('wh_1', 20)
    const others = [store, await stores.openOther(), await stores.openOther()]
    const got = await Promise.all(
      others.map(async other => {
        const numbers: number[] = []
        for (;;) {
          const claimed = await other.webhookDeliveries.claim(now + 100, leaseMs, [])
          if (!claimed) return numbers
          numbers.push(claimed.delivery.number)
        }
      }),
    )
    expect(new Set(got.flat()).size).toBe(20)
    expect(got.flat()).toHaveLength(20)
    if (kind === 'PostgreSQL') expect(got.filter(numbers => numbers.length > 0).length).toBeGreaterThan(1)
  })

  test('a list has the newest first, in parts and by status', async () => {
    await insert('wh_1')
    await enqueueTests('wh_1', 3)
    const first = await claim()
    await store.webhookDeliveries.record(first?.delivery as never, delivered, now)
    const whole = await store.webhookDeliveries.list('wh_1', { limit: 10 })
    expect(whole.map(({ createdAt }) => createdAt)).toEqual([now + 2, now + 1, now])
    const before = whole[0]?.number
    expect(await store.webhookDeliveries.list('wh_1', { limit: 1, before })).toEqual([whole[1]])
    expect(ids(await store.webhookDeliveries.list('wh_1', { status: 'delivered', limit: 9 }))).toEqual([whole[2]?.id])
  })

  test('disabling gives up what waits, and deleting a webhook or old deliveries keeps the others', async () => {
    await insert('wh_1')
    await enqueueTests('wh_1', 3)
    await insert('wh_2')
    await enqueueTests('wh_2', 1)
    await store.webhooks.disable('wh_1', 'It is gone.', now)
    const lists = await store.webhookDeliveries.list('wh_1', { status: 'failed', limit: 9 })
    expect(lists.map(({ error }) => error)).toEqual(['It is gone.', 'It is gone.', 'It is gone.'])
    expect(await store.webhookDeliveries.deleteEnded(now + 9, 2)).toBe(2)
    expect(await store.webhookDeliveries.deleteEnded(now + 9, 2)).toBe(1)
    await store.webhooks.delete('wh_1')
    expect(await listTypes('wh_2')).toEqual(['webhook.test'])
    await store.webhooks.delete('wh_2')
    expect(await stores.run('SELECT id FROM webhook_deliveries')).toEqual([])
  })
})
