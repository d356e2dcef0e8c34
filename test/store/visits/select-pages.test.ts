import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PageVisitors } from '../../../server/analytics/unique-visitors.ts'
import { toViewBatch } from '../../../server/analytics/view-batch.ts'
import { type PageOrder, pageOrders } from '../../../server/analytics/visit-counts.ts'
import { openStore, type SqliteStore } from '../../../server/store/store.ts'
import { createRandom } from '../../support/random.ts'

const paths = ['/', '/a', '/A', '/a_b', '/a%20b', '/b', '/guides/a', '/Guides/B', '/z', '/%C3%BC']

let folder: string
let store: SqliteStore
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-select-'))
  store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({ id: 'prj_1', organizationId: 'org_1', name: '', visitorSaltRotation: 'never', createdAt: 0 })
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
  store.visits.recordBatch('prj_1', toViewBatch(views))
})
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const range = { dateFrom: 20_710, dateTo: 20_720 }
const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Selects from the list of all pages in the slow and simple way. */
function selectNaively(order: PageOrder, contains: string): PageVisitors[] {
  const all = [...store.visits.countRange('prj_1', range).pages()]
  const compare = (a: PageVisitors, b: PageVisitors) =>
    (order === 'path' ? 0 : b[order] - a[order]) || compareTexts(a.path, b.path)
  return all.filter(({ path }) => path.toLowerCase().includes(contains.toLowerCase())).toSorted(compare)
}

test.each(pageOrders.flatMap(order => ['', 'a', '_', '%', 'GUIDES', 'nothing'].map(text => [order, text] as const)))(
  'by %s, with "%s" in the path, in windows of three',
  (order, contains) => {
    const want = selectNaively(order, contains)
    const { selectPages } = store.visits.countRange('prj_1', range)
    const got: PageVisitors[] = []
    for (let offset = 0; offset <= want.length; offset += 3) {
      const { pages, matching } = selectPages({ order, contains, limit: 3, offset })
      expect(matching).toBe(want.length)
      expect(pages.length).toBeLessThanOrEqual(3)
      got.push(...pages)
    }
    expect(got).toEqual(want)
  },
)

test('some pages have no people or no AI, so the orders differ', () => {
  const listed = pageOrders.map(order =>
    selectNaively(order, '')
      .map(({ path }) => path)
      .join(' '),
  )
  expect(new Set(listed).size).toBe(pageOrders.length)
  expect(selectNaively('ai', '').at(-1)?.ai).toBe(0)
})

test('pages that are added later are not in what was counted before', () => {
  const { selectPages } = store.visits.countRange('prj_1', range)
  const before = selectPages({ order: 'path', contains: 'a', limit: 100, offset: 0 })
  const view = { visitor: Buffer.alloc(16, 99), path: '/aa', day: 20_715, kind: 'human' as const }
  store.visits.recordBatch('prj_1', toViewBatch([view]))
  expect(selectPages({ order: 'path', contains: 'a', limit: 100, offset: 0 })).toEqual(before)
})
