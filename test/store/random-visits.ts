import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { parseDay } from '../../server/analytics/day.ts'
import type { DayRange, RecordedViews } from '../../server/analytics/unique-visitors.ts'
import type { PageView } from '../../server/analytics/view-batch.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import fc from '../support/fast-check.ts'
import { countLabelsNaively, countNaively } from './count-naively.ts'
import { type SharedTests, type Stores, shareTests, type TestStore } from './stores.ts'

/** Days near the borders of months, years and leap days. */
const borders = ['2023-12-31', '2024-02-28', '2024-02-29', '2024-03-01', '2024-12-31', '2025-01-31', '2025-02-28']
const firstDay = parseDay('2023-12-01') as number
const anyDay = fc.oneof(
  fc
    .tuple(fc.constantFrom(...borders), fc.integer({ min: -1, max: 2 }))
    .map(([date, off]) => (parseDay(date) ?? 0) + off),
  fc.integer({ min: firstDay, max: firstDay + 500 }),
)
const anyVisitorDay = { visitor: fc.nat(6).map(who => Buffer.alloc(16, who)), day: anyDay }
const anyPageView = fc.record({
  ...anyVisitorDay,
  path: fc.constantFrom('/', '/a', '/b', '/a/b'),
  kind: fc.constantFrom('human' as const, 'ai' as const),
})
const anyLabel = fc.record({
  ...anyVisitorDay,
  path: fc.constantFrom('agent:GPTBot', 'neither:empty', 'from:claude.ai/', 'from:claude.ai/a'),
  kind: fc.constant('label' as const),
})
const anyView = fc.oneof({ weight: 3, arbitrary: anyPageView }, anyLabel).map((view): PageView => view)
const anyBatches = fc.array(fc.array(anyView, { maxLength: 15 }), { maxLength: 6 })
const anyRange = fc
  .record({ dateFrom: anyDay, dateTo: anyDay }, { requiredKeys: [] })
  .filter(({ dateFrom = 0, dateTo = 1e9 }) => dateFrom <= dateTo)

const prepared = async (stores: Stores) => {
  const { organizations, projects } = stores.store
  await organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  for (const id of [first, other]) {
    await projects.insert({
      id,
      organizationId: 'org_1',
      name: '',
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: 0,
    })
    await stores.store.visits.recordBatch(id, toViewBatch([]))
  }
}

/** Prepares the tests of a file that call the functions below. */
export const shareRandomTests = () => shareTests(prepared)

const [first, other] = ['prj_1', 'prj_2']

async function record({ visits }: TestStore, id: string, batches: readonly (readonly PageView[])[]) {
  const recorded: RecordedViews[] = []
  for (const views of batches) recorded.push(await visits.recordBatch(id, toViewBatch(views)))
  return recorded
}

/**
 * Records random views of random days in random batches. Records them again in another order, with another connection in between.
 * Compares every answer with the naive count.
 */
export async function checkRandomVisits(shared: SharedTests, numRuns: number): Promise<void> {
  let { store } = shared
  await fc.assert(
    fc.asyncProperty(
      anyBatches,
      fc.array(anyRange, { minLength: 3, maxLength: 6 }),
      fc.nat(19),
      async (batches, ranges, reopens) => {
        for (const project of [first, other]) await store.visits.deleteVisits(project)
        await record(store, first, batches)
        for (const range of ranges) await expectExact(store, first, batches.flat(), range)
        const again = await record(store, first, [...batches].reverse())
        expect(again.map(({ newVisitorDays }) => newVisitorDays)).toEqual(batches.map(() => 0))

        const [late, early] = [batches.flat().filter((_, i) => i % 2), batches.flat().filter((_, i) => i % 2 === 0)]
        await record(store, other, [late.reverse()])
        if (reopens === 0) store = await shared.openOther()
        await record(store, other, [...early.map(view => [view]), late])
        for (const range of ranges) await expectExact(store, other, batches.flat(), range)
        expect(await readBlocks(shared, other)).toEqual(await readBlocks(shared, first))
      },
    ),
    { numRuns },
  )
}

/** Prunes visitors between batches. Ranges that begin on a kept day stay exact, and views of pruned days change nothing. */
export async function checkRandomPruning({ store }: SharedTests, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyBatches, anyBatches, anyDay, fc.array(anyRange), async (before, after, keptFrom, ranges) => {
      await store.visits.deleteVisits(first)
      await record(store, first, before)
      await store.visits.pruneSeen(first, keptFrom)
      for (const views of after) {
        const { tooOldViews } = await store.visits.recordBatch(first, toViewBatch(views))
        expect(tooOldViews).toBe(views.filter(({ day, kind }) => day < keptFrom && kind !== 'label').length)
      }
      const counted = [...before.flat(), ...after.flat().filter(({ day }) => day >= keptFrom)]
      for (const range of ranges) {
        const { dateFrom = 0, dateTo = 1e9 } = range
        if (dateFrom >= keptFrom || dateTo <= keptFrom) await expectExact(store, first, counted, range, keptFrom)
      }
    }),
    { numRuns },
  )
}

/**
 * Compares all pages in one answer, then in windows of two, and the counts of reports with their labels. Checks that totals
 * are between the maximum and the sum.
 */
async function expectExact(
  store: TestStore,
  id: string,
  views: readonly PageView[],
  range: DayRange,
  keptFrom?: number,
): Promise<void> {
  const want = countNaively(views, range)
  expect(await store.visits.countUniqueVisitors(id, range, { limit: 250, offset: 0 })).toEqual(want)
  for (let offset = 0; offset <= want.visitors.length; offset += 2) {
    const window = await store.visits.countUniqueVisitors(id, range, { limit: 2, offset })
    expect(window.visitors).toEqual(want.visitors.slice(offset, offset + 2))
    expect(window.hasMore).toBe(offset + 2 < want.visitors.length)
  }
  const counts = await store.visits.countRange(id, range)
  expect(await counts.listPages(0, counts.pageCount)).toEqual(want.visitors)
  expect(counts.pageCount).toBe(want.visitors.length)
  expect(Object.fromEntries(await store.visits.countLabels(id, range))).toEqual(
    countLabelsNaively(views, range, keptFrom),
  )
  expect(await store.visits.countTotals(id, [range])).toEqual([want.totals])
  for (const { human, ai, total } of [want.totals, ...want.visitors]) {
    expect(total).toBeGreaterThanOrEqual(Math.max(human, ai))
    expect(total).toBeLessThanOrEqual(human + ai)
  }
}

/** The counters do not depend on the order of arrival. */
async function readBlocks({ folder, url, run }: SharedTests, id: string): Promise<unknown[]> {
  const tables = [
    ['day_counters', 'day'],
    ['month_counters', 'month'],
  ] as const
  if (url !== undefined) {
    const found = []
    for (const [table, key] of tables) {
      found.push(
        await run(
          `SELECT ${key}, block FROM ${table} JOIN visited_projects ON key = project_key WHERE project_id = '${id}' ORDER BY ${key}`,
        ),
      )
    }
    return found
  }
  const database = new Database(join(folder, 'visits', `${id}.db`), { readonly: true })
  try {
    return tables.map(([table]) => database.prepare(`SELECT * FROM ${table}`).all())
  } finally {
    database.close()
  }
}
