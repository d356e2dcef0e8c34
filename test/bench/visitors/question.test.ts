import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createData } from '../../../scripts/bench/http/data.ts'
import { createPaths } from '../../../scripts/bench/visitors/pages.ts'
import { type AnswerPage, countDifferences, expectAnswers } from '../../../scripts/bench/visitors/question.ts'
import { chooseRanges } from '../../../scripts/bench/visitors/ranges.ts'
import { type Counts, Truth } from '../../../scripts/bench/visitors/truth.ts'
import { learnTruth, makeViewBatches } from '../../../scripts/bench/visitors/visit-batches.ts'
import { openStore } from '../../../server/store/store.ts'

const page: AnswerPage = {
  site: [2, 1, 3],
  pages: [
    { path: '/a', counts: [1, 1, 2] },
    { path: '/b', counts: [1, 0, 1] },
  ],
  hasMore: true,
}
const [a, b] = page.pages

test.each<[string, Partial<AnswerPage>, number]>([
  ['the same', {}, 0],
  ['another count of the site', { site: [2, 2, 3] }, 1],
  ['more pages', { hasMore: false }, 1],
  ['another count of a page', { pages: [a, { path: '/b', counts: [1, 1, 1] }] as AnswerPage['pages'] }, 1],
  ['another order', { pages: [b, a] as AnswerPage['pages'] }, 2],
  ['a missing page', { pages: [a] as AnswerPage['pages'] }, 1],
  ['no pages', { pages: [] }, 2],
])('differences of an answer: %s', (_, change, differences) => {
  expect(countDifferences({ ...page, ...change }, page)).toBe(differences)
})

test('pages of the truth match those of the operation', () => {
  const truth = new Truth({ firstDay: 100, paths: ['/', '/a', '/b'], capacity: 4 })
  truth.add(1, 0, 100, false)
  truth.add(1, 1, 101, true)
  truth.add(2, 1, 101, true)
  truth.add(1, 1, 102, false)
  const range = { from: 100, to: 103 }
  const ask = (limit: number, offset: number) => expectAnswers(truth, [{ range, limit, offset }])[0]
  const site = [1, 2, 2]
  const [one, home] = [
    { path: '/a', counts: [1, 2, 2] },
    { path: '/', counts: [1, 0, 1] },
  ]
  expect(ask(1, 0)).toEqual({ site, pages: [one], hasMore: true })
  expect(ask(1, 1)).toEqual({ site, pages: [home], hasMore: false })
  expect(ask(5, 0)).toEqual({ site, pages: [one, home], hasMore: false })
  expect(ask(5, 9)).toEqual({ site, pages: [], hasMore: false })
})

test('views recorded in batches count as in the truth', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-batches-'))
  const plan = { seed: 8, requests: 12_000, pages: 60, from: 20_400, to: 20_800, viewsOnly: true }
  const paths = createPaths(plan.pages)
  const truth = learnTruth(plan)
  const { projectIds } = await createData(folder, 1)
  const [projectId = ''] = projectIds
  const store = openStore(folder)
  try {
    for (const batch of makeViewBatches(plan, paths, 5000)) await store.visits.recordBatch(projectId, batch)
    for (const range of chooseRanges(plan.from, plan.to)) {
      const [want] = expectAnswers(truth, [{ range, limit: 100, offset: 0 }])
      const days = { dateFrom: range.from, dateTo: range.to }
      const got = await store.visits.countUniqueVisitors(projectId, days, { limit: 100, offset: 0 })
      const toCounts = ({ human, ai, total }: typeof got.totals): Counts => [human, ai, total]
      const pages = got.visitors.map(visitors => ({ path: visitors.path, counts: toCounts(visitors) }))
      expect({ site: toCounts(got.totals), pages, hasMore: got.hasMore }).toEqual(want)
    }
  } finally {
    store.close()
    rmSync(folder, { recursive: true })
  }
})
