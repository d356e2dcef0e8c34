import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { type PageView, toViewBatch } from '../../../server/analytics/view-batch.ts'
import { openStore } from '../../../server/store/store.ts'
import { shareTests } from '../stores.ts'

const shared = shareTests(async ({ store }) => {
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  await store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: '',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 0,
  })
})

function view(who: number, path: string, day: number): PageView {
  return { visitor: Buffer.alloc(16, who), path, day, kind: path.startsWith('/') ? 'ai' : 'label' }
}

function record(...views: PageView[]) {
  return shared.store.visits.recordBatch('prj_1', toViewBatch(views))
}

const countAll = async (range = {}) => [...(await shared.store.visits.countLabels('prj_1', range))]
/** Classes have a test of their own. */
const countLabels = async (range = {}) =>
  Object.fromEntries((await countAll(range)).filter(([label]) => !label.startsWith('class:')))

shared.describe('labels', () => {
  test('labels count unique visitors, and are neither pages nor visitors of the site', async () => {
    const batch = [
      view(1, '/a', 1),
      view(1, 'agent:GPTBot', 1),
      view(1, 'agent:GPTBot', 2),
      view(2, 'neither:empty', 2),
      view(2, 'neither:empty', 9),
    ]
    expect(await record(...batch)).toMatchObject({ newVisitorDays: 1, tooOldViews: 0 })
    expect(await record(...batch)).toMatchObject({ newVisitorDays: 0, tooOldViews: 0 })
    expect(await countLabels()).toEqual({ 'agent:GPTBot': 1, 'neither:empty': 1 })
    expect(await countLabels({ dateFrom: 2, dateTo: 3 })).toEqual({ 'agent:GPTBot': 1, 'neither:empty': 1 })
    expect(await countLabels({ dateFrom: 3 })).toEqual({ 'neither:empty': 1 })
    expect(await shared.store.visits.countUniqueVisitors('prj_1', {}, { limit: 1, offset: 0 })).toEqual({
      totals: { human: 0, ai: 1, total: 1 },
      visitors: [{ path: '/a', human: 0, ai: 1, total: 1 }],
      hasMore: false,
    })
    expect(await shared.store.visits.findVisitedDays('prj_1')).toEqual({ first: 1, last: 9, labelledFrom: undefined })
  })

  test('visitors are the same in any order of arrival, also if there are many', async () => {
    const views = Array.from({ length: 3000 }, (_, i) => ({
      visitor: hash('sha256', String(i % 1000), 'buffer').subarray(0, 16),
      path: 'agent:GPTBot',
      day: 1 + (i % 7),
      kind: 'label' as const,
    }))
    for (let at = 0; at < views.length; at += 300) await record(...views.slice(at, at + 300).reverse())
    expect(await countLabels()).toEqual({ 'agent:GPTBot': 1000 })
    expect(await countLabels({ dateFrom: 3, dateTo: 4 })).toEqual({
      'agent:GPTBot': new Set(views.filter(({ day }) => day === 3).map(({ visitor }) => visitor.toString('hex'))).size,
    })
  })

  test('an agent counts for its class, and a visitor with two agents of a class once', async () => {
    await record(view(1, 'agent:GPTBot', 1), view(2, 'agent:GPTBot', 2), view(3, 'agent:ChatGPT-User', 2))
    await record(view(1, 'agent:CCBot', 3), view(4, 'agent:nobody knows', 3))
    const classes = (await countAll()).filter(([label]) => label.startsWith('class:'))
    expect(Object.fromEntries(classes)).toEqual({ 'class:training': 2, 'class:assistant': 1, 'class:unknown': 1 })
  })

  test('failed pages beyond the bound of a day count without their path, also when they are recorded again', async () => {
    const views = Array.from({ length: 520 }, (_, i) => view(i % 200, `failed:human:missing/${i}`, 1))
    await record(...views.slice(0, 300), view(1, 'failed:ai:missing/a GPTBot', 1))
    await record(...views.slice(300))
    const counts = await countLabels()
    await record(...views.toReversed())
    expect(await countLabels()).toEqual(counts)
    expect(Object.keys(counts).filter(label => label.startsWith('failed:human:missing/'))).toHaveLength(500)
    expect(counts).toMatchObject({ 'failed:human:missing*': 20, 'failed:human:missing': 200, 'failed:ai:missing/a': 1 })
    await record(view(1, 'failed:human:missing/519', 2))
    expect(await countLabels({ dateFrom: 2 })).toEqual({ 'failed:human:missing/519': 1, 'failed:human:missing': 1 })
  })

  test('a referral counts for its page, its site, and all sites, and each person once', async () => {
    await record(view(1, 'from:claude.ai/a', 1), view(1, 'from:chatgpt.com/a', 2), view(2, 'from:claude.ai/b', 2))
    expect(await countLabels()).toEqual({
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
    expect(await shared.store.visits.findVisitedDays('prj_1')).toEqual({ first: 3, last: 3, labelledFrom: undefined })
    expect(await countLabels()).toEqual({ 'neither:empty': 1 })
    expect(await shared.store.visits.countTotals('prj_1', [{}])).toEqual([{ human: 0, ai: 0, total: 0 }])
  })

  test('a batch that fails leaves no label', async () => {
    const batch = toViewBatch([view(1, 'agent:GPTBot', 1), view(1, '/a', 1)])
    const invalid = { ...batch, masks: Uint8Array.of(4, 32) }
    await expect((async () => shared.store.visits.recordBatch('prj_1', invalid))()).rejects.toThrow(/is invalid/)
    await record(view(1, 'agent:CCBot', 1), view(1, 'agent:GPTBot', 1))
    expect(await countLabels()).toEqual({ 'agent:CCBot': 1, 'agent:GPTBot': 1 })
  })

  test('pruning keeps the labels of kept ranges and of each day, and ignores late labels', async () => {
    await record(
      view(1, 'neither:empty', 1),
      view(1, 'neither:empty', 2),
      view(1, 'neither:empty', 5),
      view(1, '/a', 5),
    )
    await shared.store.visits.pruneSeen('prj_1', 5)
    expect(await countLabels({ dateFrom: 1, dateTo: 2 })).toEqual({ 'neither:empty': 1 })
    expect(await record(view(2, 'neither:empty', 1), view(2, '/a', 1))).toMatchObject({
      newVisitorDays: 0,
      tooOldViews: 1,
    })
    expect([await countLabels({ dateTo: 5 }), await countLabels({ dateFrom: 5 })]).toEqual([
      { 'neither:empty': 2 },
      { 'neither:empty': 1 },
    ])
  })
})

test('a project that an earlier version counted has labels from the next day, until its visits are deleted', async context => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-labels-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await writeOldVisits(folder)
  const { visits, close } = openStore(folder)
  context.onTestFinished(close)
  const record = async () => visits.recordBatch('prj_1', toViewBatch([view(2, '/a', 12)]))
  expect(visits.findVisitedDays('prj_1')).toEqual({ first: 3, last: 7, labelledFrom: 8 })
  await record()
  expect(visits.findVisitedDays('prj_1')).toMatchObject({ last: 12, labelledFrom: 8 })
  await visits.deleteVisits('prj_1')
  await record()
  expect(visits.findVisitedDays('prj_1')).toMatchObject({ first: 12, labelledFrom: undefined })
})

/** Writes the file of a project as it was before there were labels. */
async function writeOldVisits(folder: string): Promise<void> {
  const store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: '',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 0,
  })
  await store.visits.recordBatch('prj_1', toViewBatch([view(1, '/a', 3), view(1, '/a', 7)]))
  store.close()
  const file = new Database(join(folder, 'visits', 'prj_1.db'))
  file.exec('DROP TABLE labelled; DROP TABLE seen_labels; DROP TABLE labels; DROP TABLE seen_rows')
  file.pragma('user_version = 3')
  file.close()
}
