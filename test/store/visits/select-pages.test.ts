import { expect, test } from 'vitest'
import { filterReader } from '../../../server/analytics/report/filter-reader.ts'
import type { PageVisitors } from '../../../server/analytics/unique-visitors.ts'
import { toViewBatch } from '../../../server/analytics/view-batch.ts'
import {
  isByChange,
  type PageOrder,
  pageOrders,
  type VisitCountReader,
} from '../../../server/analytics/visit-counts.ts'
import { createRandom } from '../../support/random.ts'
import { shareTests } from '../stores.ts'

const paths = ['/', '/a', '/A', '/a_b', '/a%20b', '/b', '/guides/a', '/Guides/B', '/z', '/%C3%BC']

const shared = shareTests(async ({ store }) => {
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  const project = {
    id: 'prj_1',
    organizationId: 'org_1',
    name: '',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 0,
  } as const
  await store.projects.insert(project)
  const random = createRandom('select pages')
  const views = Array.from({ length: 2000 }, () => {
    const path = Math.floor(random() ** 2 * paths.length)
    return {
      visitor: Buffer.alloc(16, Math.floor(random() * 40)),
      path: paths[path] as string,
      day: 20_700 + Math.floor(random() * 70),
      // Only people read the last pages.
      kind: path < 7 && random() < 0.3 ? ('ai' as const) : ('human' as const),
    }
  })
  await store.visits.recordBatch('prj_1', toViewBatch(views))
})

const plainOrders = pageOrders.filter(order => !isByChange(order))
const range = { dateFrom: 20_710, dateTo: 20_720 }
const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Selects from the list of all pages in the slow and simple way. */
async function selectNaively(order: PageOrder, contains: string): Promise<PageVisitors[]> {
  const { pageCount, listPages } = await shared.store.visits.countRange('prj_1', range)
  const all = await listPages(0, pageCount)
  const compare = (a: PageVisitors, b: PageVisitors) =>
    (order === 'path' || isByChange(order) ? 0 : b[order] - a[order]) || compareTexts(a.path, b.path)
  return all.filter(({ path }) => path.toLowerCase().includes(contains.toLowerCase())).toSorted(compare)
}

shared.describe('selected pages', () => {
  test.each(plainOrders)('by %s, with a text in the path, in windows of three', async order => {
    const { selectPages } = await shared.store.visits.countRange('prj_1', range)
    for (const contains of ['', 'a', '_', '%', 'GUIDES', 'nothing']) {
      const want = await selectNaively(order, contains)
      const got: PageVisitors[] = []
      for (let offset = 0; offset <= want.length; offset += 3) {
        const { pages, matching } = await selectPages({ order, contains, limit: 3, offset })
        expect(matching).toBe(want.length)
        expect(pages.length).toBeLessThanOrEqual(3)
        got.push(...pages)
      }
      expect(got).toEqual(want)
    }
  })

  test('some pages have no people or no AI, so the orders differ', async () => {
    const listed = new Set<string>()
    for (const order of plainOrders) listed.add((await selectNaively(order, '')).map(({ path }) => path).join(' '))
    expect(listed.size).toBe(plainOrders.length)
    expect((await selectNaively('ai', '')).at(-1)?.ai).toBe(0)
  })

  test('pages that are added later are not in what was counted before', async () => {
    const { selectPages } = await shared.store.visits.countRange('prj_1', range)
    const before = await selectPages({ order: 'path', contains: 'a', limit: 100, offset: 0 })
    const view = { visitor: Buffer.alloc(16, 99), path: '/aa', day: 20_715, kind: 'human' as const }
    await shared.store.visits.recordBatch('prj_1', toViewBatch([view]))
    expect(await selectPages({ order: 'path', contains: 'a', limit: 100, offset: 0 })).toEqual(before)
  })
  test.each(pageOrders)('with the range before, pages that only it has are listed with 0, by %s', async order => {
    const day = 20_790
    const view = (visitor: number, path: string, day: number, kind: 'human' | 'ai' = 'human') => [
      { visitor: Buffer.alloc(16, visitor), path, day, kind },
      ...(kind === 'ai'
        ? [{ visitor: Buffer.alloc(16, visitor), path: 'agent:GPTBot', day, kind: 'label' as const }]
        : []),
    ]
    const views = [
      ...[1, 2, 3].flatMap(visitor => view(visitor, '/lost', day - 1, 'ai')),
      ...[1, 2].flatMap(visitor => view(visitor, '/less', day - 1, 'ai')),
      ...view(1, '/same', day - 1, 'ai'),
      ...[view(1, '/same', day, 'ai'), view(1, '/less', day, 'ai'), view(2, '/came', day, 'ai')].flat(),
      ...view(3, '/came', day, 'ai'),
    ]
    await shared.store.visits.recordBatch('prj_1', toViewBatch(views))
    const wanted: Record<PageOrder, string> = {
      total: '/came /less /same /lost',
      human: '/came /less /lost /same',
      ai: '/came /less /same /lost',
      path: '/came /less /lost /same',
      gain: '/came /same /less /lost',
      loss: '/lost /less /same /came',
    }
    const { visits } = shared.store
    for (const reader of [visits, filterReader(visits, { agent: 'GPTBot' })] as VisitCountReader[]) {
      const now = await reader.countRange('prj_1', { dateFrom: day, dateTo: day + 1 })
      const before = await reader.countRange('prj_1', { dateFrom: day - 1, dateTo: day })
      const { pages, matching } = await now.selectPages({ order, contains: '', limit: 9, offset: 0 }, before)
      expect(pages.map(({ path }) => path).join(' ')).toBe(wanted[order])
      expect(matching).toBe(4)
      expect(pages.find(({ path }) => path === '/lost')).toEqual({ path: '/lost', human: 0, ai: 0, total: 0 })
      const part = await now.selectPages({ order, contains: 'L', limit: 1, offset: 1 }, before)
      expect(part).toMatchObject({
        matching: 2,
        pages: [{ path: wanted[order].split(' ').filter(path => /l/.test(path))[1] }],
      })
    }
  })
})
