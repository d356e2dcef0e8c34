import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { openStore } from '../../server/store/store.ts'
import { startVisitorRetention } from '../../server/workers/prune-visitors.ts'

test('a server deletes old visitors in a thread, and logs it', { timeout: 30_000 }, async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-retention-'))
  const store = openStore(dataFolder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({ id: 'prj_1', organizationId: 'org_1', name: '', visitorSaltRotation: 'never', createdAt: 0 })
  const today = toDay(Date.now())
  const view = (day: number) => ({ visitor: Buffer.alloc(16, 1), path: '/a', day, kind: 'human' as const })
  store.visits.recordBatch('prj_1', toViewBatch([today - 30, today - 9, today].map(view)))

  const clock = { isTrusted: async () => true }
  const log = { info: vi.fn(), error: vi.fn() }
  const retention = startVisitorRetention({ dataFolder, projects: store.projects, retentionDays: 10, clock, log })
  await vi.waitFor(() => expect(log.info).toHaveBeenCalled(), 20_000)
  await retention.stop()
  expect(log.info.mock.calls).toEqual([
    [{ projectId: 'prj_1', visitorDays: 1, retentionDays: 10 }, 'deleted old visitors'],
  ])
  expect(log.error).not.toHaveBeenCalled()
  expect(store.visits.recordBatch('prj_1', toViewBatch([today - 20].map(view)))).toMatchObject({ tooOldViews: 1 })
  store.close()
  rmSync(dataFolder, { recursive: true, force: true })
})
