import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toViewBatch } from '../../../server/analytics/view-batch.ts'
import { openStore } from '../../../server/store/store.ts'

test('the visits of a project are deleted with their file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-visits-'))
  const store = openStore(folder)
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'enterprise', createdAt: 0 })
  const batch = toViewBatch([{ visitor: Buffer.alloc(16, 1), path: '/', day: 1, kind: 'human' }])
  for (const id of ['prj_1', 'prj_2']) {
    store.projects.insert({
      id,
      organizationId: 'org_1',
      name: 'Docs',
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: 0,
    })
    await store.visits.recordBatch(id, batch)
  }
  store.visits.deleteFile('prj_1')
  expect([existsSync(join(folder, 'visits/prj_1.db')), existsSync(join(folder, 'visits/prj_2.db'))]).toEqual([
    false,
    true,
  ])
  expect((await store.visits.countUniqueVisitors('prj_1', {}, { limit: 1, offset: 0 })).totals.total).toBe(0)
})
