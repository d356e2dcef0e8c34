import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type PageView, toViewBatch } from '../../../server/analytics/view-batch.ts'
import { openStore, type SqliteStore } from '../../../server/store/store.ts'

let folder: string
let store: SqliteStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-labels-'))
  store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({ id: 'prj_1', organizationId: 'org_1', name: '', visitorSaltRotation: 'never', createdAt: 0 })
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function view(who: number, path: string, day: number): PageView {
  return { visitor: Buffer.alloc(16, who), path, day, kind: path.startsWith('/') ? 'ai' : 'label' }
}

function record(...views: PageView[]) {
  return store.visits.recordBatch('prj_1', toViewBatch(views))
}

const countLabels = (range = {}) => Object.fromEntries(store.visits.countRange('prj_1', range).labels)

test('labels count unique visitors, and are neither pages nor visitors of the site', async () => {
  const batch = [
    view(1, '/a', 1),
    view(1, 'agent:GPTBot', 1),
    view(1, 'agent:GPTBot', 2),
    view(2, 'neither:empty', 2),
    view(2, 'neither:empty', 9),
  ]
  expect(await record(...batch)).toEqual({ newVisitorDays: 1, tooOldViews: 0 })
  expect(await record(...batch)).toEqual({ newVisitorDays: 0, tooOldViews: 0 })
  expect(countLabels()).toEqual({ 'agent:GPTBot': 1, 'neither:empty': 1 })
  expect(countLabels({ dateFrom: 2, dateTo: 3 })).toEqual({ 'agent:GPTBot': 1, 'neither:empty': 1 })
  expect(countLabels({ dateFrom: 3 })).toEqual({ 'neither:empty': 1 })
  expect(await store.visits.countUniqueVisitors('prj_1', {}, { limit: 1, offset: 0 })).toEqual({
    totals: { human: 0, ai: 1, total: 1 },
    visitors: [{ path: '/a', human: 0, ai: 1, total: 1 }],
    hasMore: false,
  })
  expect(store.visits.findVisitedDays('prj_1')).toEqual({ first: 1, last: 9, labelledFrom: undefined })
})

test('visitors are the same in any order of arrival, also if there are many', async () => {
  const views = Array.from({ length: 3000 }, (_, i) => ({
    visitor: hash('sha256', String(i % 1000), 'buffer').subarray(0, 16),
    path: 'agent:GPTBot',
    day: 1 + (i % 7),
    kind: 'label' as const,
  }))
  for (let at = 0; at < views.length; at += 300) await record(...views.slice(at, at + 300).reverse())
  expect(countLabels()).toEqual({ 'agent:GPTBot': 1000 })
  expect(countLabels({ dateFrom: 3, dateTo: 4 })).toEqual({
    'agent:GPTBot': new Set(views.filter(({ day }) => day === 3).map(({ visitor }) => visitor.toString('hex'))).size,
  })
})

test('a referral counts for its page, its site, and all sites, and each person once', async () => {
  await record(view(1, 'from:claude.ai/a', 1), view(1, 'from:chatgpt.com/a', 2), view(2, 'from:claude.ai/b', 2))
  expect(countLabels()).toEqual({
    'from:claude.ai/a': 1,
    'from:claude.ai/b': 1,
    'from:chatgpt.com/a': 1,
    'from:claude.ai': 2,
    'from:chatgpt.com': 1,
    'from:': 2,
  })
})

test('a project with only programs has days, and no visitors', async () => {
  await record(view(1, 'neither:empty', 3))
  expect(store.visits.findVisitedDays('prj_1')).toEqual({ first: 3, last: 3, labelledFrom: undefined })
  expect(countLabels()).toEqual({ 'neither:empty': 1 })
  expect(store.visits.countRange('prj_1', {}).totals).toEqual({ human: 0, ai: 0, total: 0 })
})

test('a batch that fails leaves no label', async () => {
  const batch = toViewBatch([view(1, 'agent:GPTBot', 1), view(1, '/a', 1)])
  expect(() => store.visits.recordBatch('prj_1', { ...batch, masks: Uint8Array.of(4, 32) })).toThrow(/is invalid/)
  await record(view(1, 'agent:CCBot', 1), view(1, 'agent:GPTBot', 1))
  expect(countLabels()).toEqual({ 'agent:CCBot': 1, 'agent:GPTBot': 1 })
})

test('pruning keeps the labels of kept ranges and of each day, and ignores late labels', async () => {
  await record(view(1, 'neither:empty', 1), view(1, 'neither:empty', 2), view(1, 'neither:empty', 5), view(1, '/a', 5))
  await store.visits.pruneSeen('prj_1', 5)
  expect(countLabels({ dateFrom: 1, dateTo: 2 })).toEqual({ 'neither:empty': 1 })
  expect(await record(view(2, 'neither:empty', 1), view(2, '/a', 1))).toEqual({ newVisitorDays: 0, tooOldViews: 1 })
  expect([countLabels({ dateTo: 5 }), countLabels({ dateFrom: 5 })]).toEqual([
    { 'neither:empty': 2 },
    { 'neither:empty': 1 },
  ])
})

test('a project that an earlier version counted has labels from the next day, until its visits are deleted', async () => {
  store.close()
  await writeOldVisits()
  store = openStore(folder)
  expect(store.visits.findVisitedDays('prj_1')).toEqual({ first: 3, last: 7, labelledFrom: 8 })
  await record(view(2, '/a', 12))
  expect(store.visits.findVisitedDays('prj_1')).toMatchObject({ last: 12, labelledFrom: 8 })
  await store.visits.deleteVisits('prj_1')
  await record(view(2, '/a', 12))
  expect(store.visits.findVisitedDays('prj_1')).toMatchObject({ first: 12, labelledFrom: undefined })
})

/** Writes the file of a project as it was before there were labels. */
async function writeOldVisits(): Promise<void> {
  const visits = openStore(folder)
  await visits.visits.recordBatch('prj_1', toViewBatch([view(1, '/a', 3), view(1, '/a', 7)]))
  visits.close()
  const file = new Database(join(folder, 'visits', 'prj_1.db'))
  file.exec('DROP TABLE labelled; DROP TABLE seen_labels; DROP TABLE labels; DROP TABLE seen_rows')
  file.pragma('user_version = 3')
  file.close()
}
