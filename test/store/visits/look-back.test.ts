import { expect, test } from 'vitest'
import { type PageView, toViewBatch } from '../../../server/analytics/view-batch.ts'
import { createRandom } from '../../support/random.ts'
import { countNaively } from '../count-naively.ts'
import { shareTests } from '../stores.ts'

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
})

const dayCount = 1200

/** Views of a program that reads many pages on each day, so that its days are in over a hundred rows. */
function createViews(): PageView[] {
  const random = createRandom('look back')
  return Array.from({ length: dayCount * 60 }, (_, i) => ({
    visitor: Buffer.alloc(16, i % 50 === 0 ? Math.floor(random() * 20) : 255),
    path: `/${Math.floor(random() * 90)}`,
    day: 20_000 + Math.floor(i / 60),
    kind: random() < 0.5 ? 'ai' : 'human',
  }))
}

shared.describe('a visitor with many days', () => {
  test('counts once, also on pages that it saw years before, or never', async () => {
    const views = createViews()
    const late = [1, 77, 600, dayCount - 1].flatMap((day): PageView[] =>
      ['/0', '/1', '/never', `/${day}`].map(path => ({
        visitor: Buffer.alloc(16, 255),
        path,
        day: 20_000 + day,
        kind: 'human',
      })),
    )
    const rare: PageView = { visitor: Buffer.alloc(16, 255), path: '/rare', day: 20_003, kind: 'ai' }
    const batches = [views.filter((_, i) => i % 3 !== 0), [rare], views.filter((_, i) => i % 3 === 0), late]
    batches.push([{ ...rare, day: 20_000 + dayCount }])
    for (const batch of batches) await shared.store.visits.recordBatch('prj_1', toViewBatch(batch))
    for (const range of [{}, { dateFrom: 20_004 }, { dateFrom: 20_300, dateTo: 20_900 }, { dateTo: 20_100 }]) {
      const found = await shared.store.visits.countUniqueVisitors('prj_1', range, { limit: 250, offset: 0 })
      expect(found).toEqual(countNaively(batches.flat(), range))
    }
  })
})
