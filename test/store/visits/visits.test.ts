import { chmodSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DayRange } from '../../../server/analytics/unique-visitors.ts'
import { type PageView, toViewBatch } from '../../../server/analytics/view-batch.ts'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { shareTests } from '../stores.ts'

const shared = shareTests(async ({ store }) => {
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  for (const id of ['prj_1', 'prj_2']) {
    await store.projects.insert({
      id,
      organizationId: 'org_1',
      name: id,
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: 0,
    })
  }
})

function view(who: number, path: string, day: number, kind: 'human' | 'ai' = 'human'): PageView {
  return { visitor: Buffer.alloc(16, who), path, day, kind }
}

function record(projectId: string, views: readonly PageView[]) {
  return shared.store.visits.recordBatch(projectId, toViewBatch(views))
}

function readDatabase(): Buffer {
  return Buffer.concat(['quire.db', 'quire.db-wal'].map(name => readFileSync(join(shared.folder, name))))
}

/** All rows of all tables. */
async function dumpDatabase(): Promise<unknown[]> {
  const tables = await shared.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  const rows = tables.map(({ tablename }) => shared.run(`SELECT ${tablename}::text AS row FROM ${tablename}`))
  return [tables, ...(await Promise.all(rows))]
}

const everything = { limit: 250, offset: 0 }

shared.describe('visits', () => {
  test('counts a visitor once in a range, however many days and pages', async () => {
    const views = [view(1, '/a', 1), view(1, '/a', 2), view(1, '/b', 2), view(2, '/a', 3)]
    expect(await record('prj_1', views)).toMatchObject({ newVisitorDays: 3, tooOldViews: 0 })
    expect(await shared.store.visits.countUniqueVisitors('prj_1', {}, everything)).toEqual({
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
    const { totals, visitors } = await shared.store.visits.countUniqueVisitors('prj_1', {}, everything)
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
    const { totals, visitors } = await shared.store.visits.countUniqueVisitors('prj_1', range, everything)
    expect(totals.total).toBe(want)
    expect(visitors).toEqual(want === 0 ? [] : [{ path: '/a', human: want, ai: 0, total: want }])
  })

  test('orders by total, then by the bytes of the path, and pages without a gap', async () => {
    const paths = ['/b', '/a', '/Z', '/a/b', '/a-b', '/%C3%A9', '/10', '/9']
    await record('prj_1', [...paths.map(path => view(1, path, 1)), view(2, '/b', 1)])
    const want = ['/b', '/%C3%A9', '/10', '/9', '/Z', '/a', '/a-b', '/a/b']
    const pages = await Promise.all(
      [0, 3, 6, 8, 9, 1e9].map(offset => shared.store.visits.countUniqueVisitors('prj_1', {}, { limit: 3, offset })),
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
    const exact = await shared.store.visits.countUniqueVisitors('prj_1', {}, { limit: 8, offset: 0 })
    expect(exact.hasMore).toBe(false)
  })

  test('keeps projects apart, and has no visitors for an unknown project', async () => {
    await record('prj_1', [view(1, '/a', 1)])
    await record('prj_2', [view(1, '/a', 1), view(2, '/b', 1)])
    const count = async (id: string) => (await shared.store.visits.countUniqueVisitors(id, {}, everything)).totals.total
    expect([await count('prj_1'), await count('prj_2'), await count('prj_3')]).toEqual([1, 2, 0])
    await expect(async () => record('prj_3', [view(1, '/a', 1)])).rejects.toThrow('There is no project prj_3.')
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
    for (const wanted of [
      [2 * count, count, 2 * count],
      [0, 0, 0],
    ]) {
      for (const [i, batch] of batches.entries()) {
        const { newVisitorDays } = await shared.store.visits.recordBatch('prj_1', batch)
        expect(newVisitorDays).toBe(wanted[i])
      }
    }
    for (const range of [{}, { dateFrom: 6 }, { dateTo: 6 }]) {
      const { totals } = await shared.store.visits.countUniqueVisitors('prj_1', range, everything)
      expect(totals.human).toBe(count)
    }
  })

  test('stores a whole batch or nothing', async () => {
    const batch = { ...toViewBatch([view(1, '/a', 1), view(1, '/b', 1)]), masks: Uint8Array.of(1, 5) }
    await expect(async () => shared.store.visits.recordBatch('prj_1', batch)).rejects.toThrow()
    expect((await shared.store.visits.countUniqueVisitors('prj_1', {}, everything)).visitors).toEqual([])
  })

  test('deletes all visits of one project, and the positions in its logs', async () => {
    for (const id of ['prj_1', 'prj_2']) {
      await shared.store.visits.recordBatch(id, toViewBatch([view(1, '/a', 1)]), { log: 'access.log', position: '12' })
    }
    await shared.store.visits.deleteVisits('prj_1')
    expect((await shared.store.visits.countUniqueVisitors('prj_1', {}, everything)).totals.total).toBe(0)
    expect((await shared.store.visits.countUniqueVisitors('prj_2', {}, everything)).totals.total).toBe(1)
    expect(await shared.store.visits.findLogPosition('prj_1', 'access.log')).toBe(undefined)
    expect(await shared.store.visits.findLogPosition('prj_2', 'access.log')).toBe('12')
    await record('prj_1', [view(1, '/b', 1)])
    expect((await shared.store.visits.countUniqueVisitors('prj_1', {}, everything)).visitors).toEqual([
      { path: '/b', human: 1, ai: 0, total: 1 },
    ])
  })
})

shared.describe('the visitor key', () => {
  test('is created once, beside the database, readable only by its owner', async () => {
    const key = await shared.store.visits.openVisitorKey()
    expect(key.length).toBe(32)
    expect(await shared.store.visits.openVisitorKey()).toEqual(key)
    const file = join(shared.folder, 'visitor.key')
    expect(readFileSync(file)).toEqual(key)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is never in the database', async () => {
    const key = Buffer.from(await shared.store.visits.openVisitorKey())
    await record('prj_1', [view(1, '/a', 1)])
    const found = shared.url === undefined ? readDatabase() : Buffer.from(JSON.stringify(await dumpDatabase()))
    expect(found.length).toBeGreaterThan(1000)
    expect([found.includes(key), found.includes(key.toString('hex'))].includes(true)).toBe(false)
  })

  test('is refused when it has another size', async () => {
    writeFileSync(join(shared.folder, 'visitor.key'), 'short')
    await expect(async () => shared.store.visits.openVisitorKey()).rejects.toThrow(OperatorError)
    await expect(async () => shared.store.visits.openVisitorKey()).rejects.toThrow(
      /visitor\.key has 5 bytes, not 32\. Restore it from a backup\./,
    )
  })

  test('is not created again if visitors were counted with it', async () => {
    await shared.store.visits.openVisitorKey()
    await record('prj_1', [view(1, '/a', 1)])
    unlinkSync(join(shared.folder, 'visitor.key'))
    await expect(async () => shared.store.visits.openVisitorKey()).rejects.toThrow(
      /visitor\.key is missing, but visitors were counted with this key/,
    )
  })

  // Root can read every file.
  test.skipIf(process.getuid?.() === 0)('is refused with a remedy when it may not be read', async () => {
    await shared.store.visits.openVisitorKey()
    chmodSync(join(shared.folder, 'visitor.key'), 0)
    await expect(async () => shared.store.visits.openVisitorKey()).rejects.toThrow(/Permission denied for /)
  })
})

shared.describe('pruning visitors', () => {
  const seenOn = (days: number[], path = '/a') => days.map(day => view(1, path, day))
  const totalOf = async (range: DayRange) =>
    (await shared.store.visits.countUniqueVisitors('prj_1', range, everything)).totals.total

  test('does not change the counts of ranges that begin on a kept day or end before it', async () => {
    await record('prj_1', [...seenOn([1, 5, 9]), view(2, '/a', 5)])
    expect(await shared.store.visits.pruneSeen('prj_1', 5)).toBe(1)
    expect(await record('prj_1', [view(1, '/a', 11), view(1, '/b', 11), view(3, '/a', 6)])).toMatchObject({
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
    await shared.store.visits.pruneSeen('prj_1', 5)
    expect(await record('prj_1', [view(1, '/a', 1), view(2, '/a', 4), view(2, '/a', 5)])).toMatchObject({
      newVisitorDays: 1,
      tooOldViews: 2,
    })
    expect(await totalOf({ dateTo: 5 })).toBe(1)
  })

  test('is not undone by later pruning fewer days, and changes nothing in a project without visits', async () => {
    await record('prj_1', seenOn([1, 5, 9]))
    await shared.store.visits.pruneSeen('prj_1', 9)
    await shared.store.visits.pruneSeen('prj_1', 2)
    expect(await record('prj_1', seenOn([5]))).toMatchObject({ newVisitorDays: 0, tooOldViews: 1 })
    expect(await shared.store.visits.pruneSeen('prj_2', 9)).toBe(0)
  })

  test('counts a late visit between a kept visit and a forgotten one', async () => {
    await record('prj_1', seenOn([1, 9]))
    await shared.store.visits.pruneSeen('prj_1', 5)
    await record('prj_1', seenOn([7]))
    expect(await Promise.all([{ dateFrom: 5 }, { dateFrom: 7, dateTo: 8 }, { dateFrom: 8 }].map(totalOf))).toEqual([
      1, 1, 1,
    ])
  })
})
