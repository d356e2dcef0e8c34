import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { parseDay } from '../../server/analytics/day.ts'
import type { DayRange } from '../../server/analytics/unique-visitors.ts'
import type { PageView } from '../../server/analytics/view-batch.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { openStore, type SqliteStore } from '../../server/store/store.ts'
import fc from '../support/fast-check.ts'
import { countLabelsNaively, countNaively } from './count-naively.ts'

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

/**
 * Records random views of random days in random batches. Records them again in another order, with the store closed and
 * reopened in between. Compares every answer with the naive count.
 */
export async function checkRandomVisits(numRuns: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-random-visits-'))
  let store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  const [id, other] = ['prj_1', 'prj_2']
  for (const project of [id, other]) {
    store.projects.insert({
      id: project,
      organizationId: 'org_1',
      name: '',
      visitorSaltRotation: 'never',
      createdAt: 0,
    })
  }
  const record = (id: string, batches: readonly (readonly PageView[])[]) =>
    Promise.all(batches.map(views => store.visits.recordBatch(id, toViewBatch(views))))
  try {
    await fc.assert(
      fc.asyncProperty(
        anyBatches,
        fc.array(anyRange, { minLength: 3, maxLength: 6 }),
        fc.boolean(),
        async (batches, ranges, reopens) => {
          for (const project of [id, other]) await store.visits.deleteVisits(project)
          await record(id, batches)
          for (const range of ranges) await expectExact(store, id, batches.flat(), range)
          const again = await record(id, [...batches].reverse())
          expect(again.map(({ newVisitorDays }) => newVisitorDays)).toEqual(batches.map(() => 0))

          const [late, early] = [batches.flat().filter((_, i) => i % 2), batches.flat().filter((_, i) => i % 2 === 0)]
          await record(other, [late.reverse()])
          if (reopens) {
            store.close()
            store = openStore(folder)
          }
          await record(other, [...early.map(view => [view]), late])
          for (const range of ranges) await expectExact(store, other, batches.flat(), range)
          expect(readBlocks(folder, other)).toEqual(readBlocks(folder, id))
        },
      ),
      { numRuns },
    )
  } finally {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Prunes visitors between batches. Ranges that begin on a kept day stay exact, and views of pruned days change nothing. */
export async function checkRandomPruning(numRuns: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-random-pruning-'))
  const store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({ id: 'prj_1', organizationId: 'org_1', name: '', visitorSaltRotation: 'never', createdAt: 0 })
  // Pruning needs the file of the project, which exists after the first batch.
  await store.visits.recordBatch('prj_1', toViewBatch([]))
  try {
    await fc.assert(
      fc.asyncProperty(anyBatches, anyBatches, anyDay, fc.array(anyRange), async (before, after, keptFrom, ranges) => {
        await store.visits.deleteVisits('prj_1')
        for (const views of before) await store.visits.recordBatch('prj_1', toViewBatch(views))
        await store.visits.pruneSeen('prj_1', keptFrom)
        for (const views of after) {
          const { tooOldViews } = await store.visits.recordBatch('prj_1', toViewBatch(views))
          expect(tooOldViews).toBe(views.filter(({ day, kind }) => day < keptFrom && kind !== 'label').length)
        }
        const counted = [...before.flat(), ...after.flat().filter(({ day }) => day >= keptFrom)]
        for (const range of ranges) {
          const { dateFrom = 0, dateTo = 1e9 } = range
          if (dateFrom >= keptFrom || dateTo <= keptFrom) await expectExact(store, 'prj_1', counted, range, keptFrom)
        }
      }),
      { numRuns },
    )
  } finally {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Compares all pages in one answer, then in windows of two, and the counts of reports with their labels. Checks that totals
 * are between the maximum and the sum.
 */
async function expectExact(
  store: SqliteStore,
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
  const counts = store.visits.countRange(id, range)
  expect(counts.totals).toEqual(want.totals)
  expect([...counts.pages()]).toEqual(want.visitors)
  expect(counts.pageCount).toBe(want.visitors.length)
  expect(Object.fromEntries(counts.labels)).toEqual(countLabelsNaively(views, range, keptFrom))
  expect(store.visits.countTotals(id, [range])).toEqual([want.totals])
  for (const { human, ai, total } of [want.totals, ...want.visitors]) {
    expect(total).toBeGreaterThanOrEqual(Math.max(human, ai))
    expect(total).toBeLessThanOrEqual(human + ai)
  }
}

function readBlocks(folder: string, id: string) {
  const file = join(folder, 'visits', `${id}.db`)
  if (!existsSync(file)) return [[], []]
  const database = new Database(file, { readonly: true })
  try {
    return ['day_counters', 'month_counters'].map(table => database.prepare(`SELECT * FROM ${table}`).all())
  } finally {
    database.close()
  }
}
