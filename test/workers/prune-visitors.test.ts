import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { dayMs } from '../../server/base/day-ms.ts'
import { alone } from '../../server/base/exclusively.ts'
import { openStore } from '../../server/store/store.ts'
import { startVisitorRetention } from '../../server/workers/prune-visitors.ts'

test('a server deletes old visitors in a thread, and logs it', { timeout: 30_000 }, async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-retention-'))
  const store = openStore(dataFolder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: '',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 0,
  })
  const today = toDay(Date.now())
  const view = (day: number) => ({ visitor: Buffer.alloc(16, 1), path: '/a', day, kind: 'human' as const })
  store.visits.recordBatch('prj_1', toViewBatch([today - 30, today - 9, today].map(view)))

  const clock = { isTrusted: async () => true }
  const log = { info: vi.fn(), error: vi.fn() }
  const retention = startVisitorRetention({
    dataFolder,
    projects: store.projects,
    retentionDays: 10,
    keyGraceDays: 7,
    exclusively: alone,
    clock,
    log,
  })
  await vi.waitFor(() => expect(log.info).toHaveBeenCalled(), 20_000)
  await retention.stop()
  expect(log.info.mock.calls).toEqual([
    [{ projectId: 'prj_1', keys: 0, visitorDays: 1, retentionDays: 10, keyGraceDays: 7 }, 'deleted old visitors'],
  ])
  expect(log.error).not.toHaveBeenCalled()
  expect(store.visits.recordBatch('prj_1', toViewBatch([today - 20].map(view)))).toMatchObject({ tooOldViews: 1 })
  store.close()
  rmSync(dataFolder, { recursive: true, force: true })
})

test('without a retention, a server destroys the keys of ended periods, and keeps all other visitors', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-key-grace-'))
  const store = openStore(dataFolder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  const now = Date.now()
  const record = async (id: string, visitorSaltRotation: 'never' | 'day', days: number[]) => {
    const project = { id, visitorSaltRotation, visitorRules: 2 as const }
    store.projects.insert({ ...project, organizationId: 'org_1', name: '', createdAt: 0 })
    const keys = await store.visits.openVisitorKeys(() => now - 4 * dayMs)
    for (const day of days) keys.find(project, day)
    const view = (day: number) => ({ visitor: Buffer.alloc(16, 1), path: '/a', day, kind: 'human' as const })
    await store.visits.recordBatch(id, toViewBatch(days.map(view)))
  }
  const today = toDay(now)
  await record('prj_day', 'day', [today - 5, today - 4, today - 1, today])
  await record('prj_never', 'never', [today - 500])
  const log = { info: vi.fn(), error: vi.fn() }
  const options = { dataFolder, projects: store.projects, retentionDays: undefined, keyGraceDays: 3 }
  let isTrusted = false
  const clock = { isTrusted: async () => isTrusted }
  const untrusting = startVisitorRetention({ ...options, exclusively: alone, clock, log })
  await untrusting.stop()
  isTrusted = true
  const retention = startVisitorRetention({ ...options, exclusively: alone, clock, log })
  await vi.waitFor(() => expect(log.info).toHaveBeenCalled(), 20_000)
  await retention.stop()
  expect(log.info.mock.calls).toEqual([
    [
      { projectId: 'prj_day', keys: 2, visitorDays: 2, retentionDays: undefined, keyGraceDays: 3 },
      'destroyed visitor keys of ended periods, and their visitors',
    ],
  ])
  expect(log.error).not.toHaveBeenCalled()
  store.close()
  rmSync(dataFolder, { recursive: true, force: true })
})
