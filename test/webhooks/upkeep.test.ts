import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { dayMs } from '../../server/base/day-ms.ts'
import { createLastVisitFinder } from '../../server/serving/webhooks.ts'
import { openStore, type SqliteStore } from '../../server/store/store.ts'
import { keepUp } from '../../server/webhooks/upkeep.ts'
import { type WebhookEvent, webhookEvents } from '../../server/webhooks/webhook.ts'

const day = 20_780
const wake = vi.fn()
let folder: string
let store: SqliteStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-upkeep-'))
  store = openStore(folder)
  wake.mockClear()
  for (const id of ['1', '2']) {
    const organizationId = `org_${id}`
    store.organizations.insert({ id: organizationId, name: 'Acme', plan: 'standard', createdAt: 1 })
    store.projects.insert({
      id: `prj_${id}`,
      organizationId,
      name: 'D',
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: 1,
    })
  }
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

const subscribe = (id: string, organizationId: string, events: WebhookEvent[] = [...webhookEvents]) =>
  store.webhooks.insert({ id, organizationId, url: 'https://a.example/', events, createdAt: 1 }, Buffer.from('x'))
const visit = (projectId: string, at: number) =>
  store.visits.recordBatch(
    projectId,
    toViewBatch([{ visitor: Buffer.alloc(16, at % 256), path: '/', day: at, kind: 'human' }]),
  )

async function keepUpAt(now: number, isTrusted = true): Promise<string[]> {
  await keepUp({
    ...store,
    findLastVisit: createLastVisitFinder(store as never),
    clock: { isTrusted: async () => isTrusted },
    now: () => now,
    wake,
    log: { info() {}, error() {} },
  })
  const lists = await Promise.all(
    (await store.webhooks.list()).map(({ id }) => store.webhookDeliveries.list(id, { limit: 99 })),
  )
  return lists.flat().map(({ webhookId, subject }) => `${webhookId} ${subject}`)
}

test('a project without a visit for a whole day lags: its webhooks are told once until the next visit', async () => {
  await subscribe('wh_1', 'org_1')
  await subscribe('wh_2', 'org_1', ['export.failed'])
  await subscribe('wh_3', 'org_2')
  await visit('prj_1', day)
  const endOfNext = (day + 2) * dayMs
  expect(await keepUpAt(endOfNext - 1)).toEqual([])
  expect(wake).not.toHaveBeenCalled()
  expect(await keepUpAt(endOfNext, false)).toEqual([])
  expect(await keepUpAt(endOfNext)).toEqual(['wh_1 prj_1'])
  expect(wake).toHaveBeenCalledOnce()
  expect(await keepUpAt(endOfNext + 3 * dayMs)).toHaveLength(1)
  await visit('prj_1', day + 10)
  expect(await keepUpAt(endOfNext + 11 * dayMs)).toEqual(['wh_1 prj_1', 'wh_1 prj_1'])
})

test('a project that nobody counts any more, and one without visits, do not lag', async () => {
  await subscribe('wh_1', 'org_1')
  await visit('prj_1', day)
  expect(await keepUpAt((day + 30) * dayMs)).toEqual([])
  await subscribe('wh_3', 'org_2')
  expect(await keepUpAt((day + 30) * dayMs)).toEqual([])
})

test('deliveries that ended a month ago are deleted', async () => {
  await subscribe('wh_1', 'org_1')
  const at = day * dayMs
  await store.webhookDeliveries.enqueueTest('wh_1', at)
  await store.webhookDeliveries.enqueueTest('wh_1', at + 1)
  const claimed = await store.webhookDeliveries.claim(at + 1, 1000, [])
  const delivered = { status: 'delivered', responseStatus: 200, error: null } as const
  await store.webhookDeliveries.record(claimed?.delivery as never, delivered, at)
  expect(await keepUpAt(at + 30 * dayMs)).toHaveLength(2)
  expect(await keepUpAt(at + 30 * dayMs + 1)).toHaveLength(1)
})
