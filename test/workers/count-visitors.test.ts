import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { UniqueVisitorCounter } from '../../server/analytics/unique-visitors.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { startVisitorCounting, type VisitorCountsThread } from '../../server/workers/count-visitors.ts'

const page = { limit: 10, offset: 0 }
const view = (visitor: number, path: string) => ({
  visitor: Buffer.alloc(16, visitor),
  path,
  day: 20_700,
  kind: 'ai' as const,
})

let dataFolder: string
let store: Store
let counts: VisitorCountsThread

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-counts-'))
  store = openStore(dataFolder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({ id: 'prj_1', organizationId: 'org_1', name: '', visitorSaltRotation: 'never', createdAt: 0 })
  store.visits.recordBatch('prj_1', toViewBatch([view(1, '/a'), view(2, '/a'), view(2, '/b')]))
  counts = startVisitorCounting({ dataFolder })
})
afterEach(async () => {
  await counts.stop()
  store.close()
  rmSync(dataFolder, { recursive: true, force: true })
})

test('gives the same answers as the store, to several queries at once, and includes new visits', async () => {
  const questions: Parameters<UniqueVisitorCounter['countUniqueVisitors']>[] = [
    ['prj_1', {}, page],
    ['prj_1', { dateFrom: 20_701 }, page],
    ['prj_1', {}, { limit: 1, offset: 1 }],
    ['prj_unknown', {}, page],
  ]
  const ask = () => Promise.all(questions.map(question => counts.countUniqueVisitors(...question)))
  const expected = () => Promise.all(questions.map(question => store.visits.countUniqueVisitors(...question)))
  expect(await ask()).toEqual(await expected())
  store.visits.recordBatch('prj_1', toViewBatch([view(3, '/c')]))
  expect(await ask()).toEqual(await expected())
  expect((await ask())[0]?.totals.total).toBe(3)
})

test('an error fails only its query, and the next query is answered', async () => {
  const database = new Database(join(dataFolder, 'visits', 'prj_1.db'))
  database.exec('ALTER TABLE month_counters RENAME TO away')
  const wrong = counts.countUniqueVisitors('prj_1', {}, page)
  await expect(wrong).rejects.toThrow('no such table: month_counters')
  database.exec('ALTER TABLE away RENAME TO month_counters')
  database.close()
  expect(await counts.countUniqueVisitors('prj_1', {}, page)).toMatchObject({ totals: { total: 2 } })
})

test('if the thread cannot start, its queries fail, and the next query starts another thread', async () => {
  const setup = { dataFolder: undefined as unknown as string }
  const failing = startVisitorCounting(setup)
  await expect(failing.countUniqueVisitors('prj_1', {}, page)).rejects.toThrow('The thread that counts visitors ended.')
  setup.dataFolder = dataFolder
  expect(await failing.countUniqueVisitors('prj_1', {}, page)).toMatchObject({ totals: { total: 2 } })
  await failing.stop()
})

test('a waiting query fails when the thread is stopped', async () => {
  const waiting = expect(counts.countUniqueVisitors('prj_1', {}, page)).rejects.toThrow('ended')
  await counts.stop()
  await waiting
})
