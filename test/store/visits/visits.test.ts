import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DayRange } from '../../../server/analytics/unique-visitors.ts'
import { type PageView, toViewBatch } from '../../../server/analytics/view-batch.ts'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { openStore, type SqliteStore } from '../../../server/store/store.ts'

let folder: string
let store: SqliteStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-visits-'))
  store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  insertProject('prj_1')
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function insertProject(id: string): void {
  store.projects.insert({ id, organizationId: 'org_1', name: id, visitorSaltRotation: 'never', createdAt: 0 })
}

function view(who: number, path: string, day: number, kind: 'human' | 'ai' = 'human'): PageView {
  return { visitor: Buffer.alloc(16, who), path, day, kind }
}

function record(projectId: string, views: readonly PageView[]) {
  return store.visits.recordBatch(projectId, toViewBatch(views))
}

const everything = { limit: 250, offset: 0 }

test('counts a visitor once in a range, however many days and pages', async () => {
  const views = [view(1, '/a', 1), view(1, '/a', 2), view(1, '/b', 2), view(2, '/a', 3)]
  expect(await record('prj_1', views)).toEqual({ newVisitorDays: 3, tooOldViews: 0 })
  expect(await store.visits.countUniqueVisitors('prj_1', {}, everything)).toEqual({
    totals: { human: 2, ai: 0, total: 2 },
    visitors: [
      { path: '/a', human: 2, ai: 0, total: 2 },
      { path: '/b', human: 1, ai: 0, total: 1 },
    ],
    hasMore: false,
  })
})

test('counts a visitor seen as human and as AI in both, and once in the total', async () => {
  await record('prj_1', [view(1, '/a', 1), view(1, '/a', 2, 'ai'), view(2, '/a', 1, 'ai')])
  const { totals, visitors } = await store.visits.countUniqueVisitors('prj_1', {}, everything)
  expect(totals).toEqual({ human: 1, ai: 2, total: 2 })
  expect(visitors).toEqual([{ path: '/a', human: 1, ai: 2, total: 2 }])
})

test.each([
  [{}, 3],
  [{ dateFrom: 2 }, 2],
  [{ dateTo: 2 }, 1],
  [{ dateTo: 3 }, 2],
  [{ dateFrom: 2, dateTo: 3 }, 1],
  [{ dateFrom: 2, dateTo: 2 }, 0],
  [{ dateFrom: -5, dateTo: 0 }, 0],
  [{ dateFrom: 4 }, 0],
  [{ dateFrom: -1e9, dateTo: 1e9 }, 3],
] as [DayRange, number][])('one visitor a day on days 1 to 3: %j has %d', async (range, want) => {
  await record('prj_1', [view(1, '/a', 1), view(2, '/a', 2), view(3, '/a', 3)])
  const { totals, visitors } = await store.visits.countUniqueVisitors('prj_1', range, everything)
  expect(totals.total).toBe(want)
  expect(visitors).toEqual(want === 0 ? [] : [{ path: '/a', human: want, ai: 0, total: want }])
})

test('orders by total, then by the bytes of the path, and pages without a gap', async () => {
  const paths = ['/b', '/a', '/Z', '/a/b', '/a-b', '/%C3%A9', '/10', '/9']
  await record('prj_1', [...paths.map(path => view(1, path, 1)), view(2, '/b', 1)])
  const want = ['/b', '/%C3%A9', '/10', '/9', '/Z', '/a', '/a-b', '/a/b']
  const pages = await Promise.all(
    [0, 3, 6, 8, 9, 1e9].map(offset => store.visits.countUniqueVisitors('prj_1', {}, { limit: 3, offset })),
  )
  expect(pages.map(({ visitors }) => visitors.map(({ path }) => path))).toEqual([
    want.slice(0, 3),
    want.slice(3, 6),
    want.slice(6),
    [],
    [],
    [],
  ])
  expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false, false, false, false])
  const exact = await store.visits.countUniqueVisitors('prj_1', {}, { limit: 8, offset: 0 })
  expect(exact.hasMore).toBe(false)
})

test('keeps projects apart, and has no visitors for an unknown project', async () => {
  insertProject('prj_2')
  await record('prj_1', [view(1, '/a', 1)])
  await record('prj_2', [view(1, '/a', 1), view(2, '/b', 1)])
  const count = async (id: string) => (await store.visits.countUniqueVisitors(id, {}, everything)).totals.total
  expect([await count('prj_1'), await count('prj_2'), await count('prj_3')]).toEqual([1, 2, 0])
  expect(() => record('prj_3', [view(1, '/a', 1)])).toThrow('There is no project prj_3.')
})

test.each([1, 63, 64, 65, 200])('a batch may have the same visitor twice: %d visitors', async count => {
  const visitors = Array.from({ length: count }, (_, i) => Buffer.alloc(16).fill(`${i}`.padStart(4, '0'), 0, 4))
  const columns = (paths: string[], days: number[]) => ({
    length: count * 2,
    visitors: Buffer.concat([...visitors, ...visitors]),
    paths,
    visitorOf: Uint32Array.from({ length: count * 2 }, (_, i) => i),
    pathOf: Uint32Array.from({ length: count * 2 }, (_, i) => (i < count ? 0 : 1)),
    days: Int32Array.from({ length: count * 2 }, (_, i) => days[i < count ? 0 : 1] as number),
    masks: new Uint8Array(count * 2).fill(1),
  })
  const batches = [columns(['/a', '/b'], [5, 7]), columns(['/a', '/a'], [6, 6]), columns(['/b', '/a'], [9, 2])]
  const recorded = await Promise.all(batches.map(batch => store.visits.recordBatch('prj_1', batch)))
  expect(recorded.map(({ newVisitorDays }) => newVisitorDays)).toEqual([2 * count, count, 2 * count])
  const again = await Promise.all(batches.map(batch => store.visits.recordBatch('prj_1', batch)))
  expect(again.map(({ newVisitorDays }) => newVisitorDays)).toEqual([0, 0, 0])
  for (const range of [{}, { dateFrom: 6 }, { dateTo: 6 }]) {
    const { totals } = await store.visits.countUniqueVisitors('prj_1', range, everything)
    expect(totals.human).toBe(count)
  }
})

test('stores a whole batch or nothing', async () => {
  const batch = { ...toViewBatch([view(1, '/a', 1), view(1, '/b', 1)]), masks: Uint8Array.of(1, 5) }
  expect(() => store.visits.recordBatch('prj_1', batch)).toThrow()
  expect((await store.visits.countUniqueVisitors('prj_1', {}, everything)).visitors).toEqual([])
})

describe('the visitor key', () => {
  test('is created once, beside the database, readable only by its owner', async () => {
    const key = await store.visits.openVisitorKey()
    expect(key.length).toBe(32)
    expect(await store.visits.openVisitorKey()).toEqual(key)
    const file = join(folder, 'visitor.key')
    expect(readFileSync(file)).toEqual(key)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is never in the database', async () => {
    const key = Buffer.from(await store.visits.openVisitorKey())
    await record('prj_1', [view(1, '/a', 1)])
    for (const file of ['quire.db', 'quire.db-wal']) expect(readFileSync(join(folder, file)).includes(key)).toBe(false)
  })

  test('is refused when it has another size', () => {
    writeFileSync(join(folder, 'visitor.key'), 'short')
    expect(() => store.visits.openVisitorKey()).toThrow(OperatorError)
    expect(() => store.visits.openVisitorKey()).toThrow(/visitor\.key has 5 bytes, not 32\. Restore it from a backup\./)
  })

  test('is not created again if visitors were counted with it', async () => {
    await store.visits.openVisitorKey()
    await record('prj_1', [view(1, '/a', 1)])
    unlinkSync(join(folder, 'visitor.key'))
    expect(() => store.visits.openVisitorKey()).toThrow(
      /visitor\.key is missing, but visitors were counted with this key/,
    )
  })

  // Root can read every file.
  test.skipIf(process.getuid?.() === 0)('is refused with a remedy when it may not be read', async () => {
    await store.visits.openVisitorKey()
    chmodSync(join(folder, 'visitor.key'), 0)
    expect(() => store.visits.openVisitorKey()).toThrow(/Permission denied for /)
  })
})

describe('pruning visitors', () => {
  const seenOn = (days: number[], path = '/a') => days.map(day => view(1, path, day))
  const totalOf = async (range: DayRange) =>
    (await store.visits.countUniqueVisitors('prj_1', range, everything)).totals.total

  test('does not change the counts of ranges that begin on a kept day or end before it', async () => {
    await record('prj_1', [...seenOn([1, 5, 9]), view(2, '/a', 5)])
    expect(await store.visits.pruneSeen('prj_1', 5)).toBe(1)
    expect(await record('prj_1', [view(1, '/a', 11), view(1, '/b', 11), view(3, '/a', 6)])).toEqual({
      newVisitorDays: 2,
      tooOldViews: 0,
    })
    for (const [range, want] of [
      [{ dateTo: 5 }, 1],
      [{ dateFrom: 5 }, 3],
      [{ dateFrom: 6 }, 2],
      [{ dateFrom: 10 }, 1],
      [{ dateFrom: 5, dateTo: 6 }, 2],
    ] as const) {
      expect(await totalOf(range)).toBe(want)
    }
  })

  test('ignores late views of a pruned day, and counts them', async () => {
    await record('prj_1', seenOn([1, 5]))
    await store.visits.pruneSeen('prj_1', 5)
    expect(await record('prj_1', [view(1, '/a', 1), view(2, '/a', 4), view(2, '/a', 5)])).toEqual({
      newVisitorDays: 1,
      tooOldViews: 2,
    })
    expect(await totalOf({ dateTo: 5 })).toBe(1)
  })

  test('is not undone by later pruning fewer days, and changes nothing in a project without visits', async () => {
    await record('prj_1', seenOn([1, 5, 9]))
    await store.visits.pruneSeen('prj_1', 9)
    await store.visits.pruneSeen('prj_1', 2)
    expect(await record('prj_1', seenOn([5]))).toEqual({ newVisitorDays: 0, tooOldViews: 1 })
    expect(await store.visits.pruneSeen('prj_2', 9)).toBe(0)
  })

  test('counts a late visit between a kept visit and a forgotten one', async () => {
    await record('prj_1', seenOn([1, 9]))
    await store.visits.pruneSeen('prj_1', 5)
    await record('prj_1', seenOn([7]))
    expect(await Promise.all([{ dateFrom: 5 }, { dateFrom: 7, dateTo: 8 }, { dateFrom: 8 }].map(totalOf))).toEqual([
      1, 1, 1,
    ])
  })
})

test('deletes all visits of one project, and the positions in its logs', async () => {
  insertProject('prj_2')
  for (const id of ['prj_1', 'prj_2']) {
    store.visits.recordBatch(id, toViewBatch([view(1, '/a', 1)]), { log: 'access.log', position: '12' })
  }
  await store.visits.deleteVisits('prj_1')
  expect((await store.visits.countUniqueVisitors('prj_1', {}, everything)).totals.total).toBe(0)
  expect((await store.visits.countUniqueVisitors('prj_2', {}, everything)).totals.total).toBe(1)
  expect(await store.visits.findLogPosition('prj_1', 'access.log')).toBe(undefined)
  expect(await store.visits.findLogPosition('prj_2', 'access.log')).toBe('12')
  await record('prj_1', [view(1, '/b', 1)])
  expect((await store.visits.countUniqueVisitors('prj_1', {}, everything)).visitors).toEqual([
    { path: '/b', human: 1, ai: 0, total: 1 },
  ])
})
