import { expect, test } from 'vitest'
import { viewReport, writeReportFile } from '../../../server/analytics/report/report-view.ts'
import type { PageSelection, VisitCountReader } from '../../../server/analytics/visit-counts.ts'
import { noAgentPages } from '../../../server/store/visits/visit-reports.ts'

const totals = { human: 2, ai: 1, total: 3 }
const selection: PageSelection = { order: 'ai', contains: '', limit: 2, offset: 4 }

/** Has the same counts in each range. */
function createReader({ days = 3, labels = [] as string[], pages = 0 } = {}) {
  const selected: PageSelection[] = []
  const reader: VisitCountReader = {
    findVisitedDays: () => ({ first: 20_700, last: 20_699 + days, labelledFrom: undefined }),
    countRange: () => ({
      pageCount: pages,
      listPages: (from, to) =>
        Array.from({ length: pages }, (_, i) => ({ path: `/"${i}"`, human: 1, ai: 0, total: 1 })).slice(from, to),
      countsOf: () => [],
      selectPages(selection) {
        selected.push(selection)
        return { pages: [{ path: '/a', ...totals }], matching: 7 }
      },
    }),
    countLabels: () => new Map(labels.map(label => [label, 1])),
    readAgentPages: () => noAgentPages,
    countTotals: (_, ranges) => ranges.map(() => totals),
  }
  return { reader, selected }
}

const view = (given: Parameters<typeof createReader>[0], pages = selection) =>
  viewReport(createReader(given).reader, { projectId: 'prj_1', range: {}, pages })

test('a view has the selected pages, and the days with visits', async () => {
  const { reader, selected } = createReader()
  expect(await viewReport(reader, { projectId: 'prj_1', range: {}, pages: selection })).toMatchObject({
    dateFrom: '2026-09-04',
    dateTo: '2026-09-07',
    pages: [{ path: '/a' }],
    matching: 7,
    visited: { first: '2026-09-04', last: '2026-09-06' },
  })
  expect(selected).toEqual([selection])
})

test.each([
  ['Guides', 'Guides'],
  ['a b', 'a%20b'],
  ['über', '%C3%BCber'],
  ['%C3%BC', '%C3%BC'],
  ['\ud800', '%EF%BF%BD'],
])('the text %j is searched as %s, as paths are written', async (typed, want) => {
  const { reader, selected } = createReader()
  await viewReport(reader, { projectId: 'prj_1', range: {}, pages: { ...selection, contains: typed } })
  expect(selected[0]?.contains).toBe(want)
})

test.each([
  [1, 'day', 1],
  [400, 'day', 400],
  [401, 'month', 14],
])('a range of %d days is drawn by %s', async (days, by, periods) => {
  const { series } = await view({ days })
  expect({ by: series.by, periods: series.periods.length }).toEqual({ by, periods })
})

test.each([
  ['year', { dateFrom: 20_000, dateTo: 21_200 }, 365],
  ['previous', { dateFrom: 20_695, dateTo: 20_715 }, 20],
] as const)(
  'each period is compared with the one before it (%s), also if the first visit is inside the range',
  async (comparison, range, days) => {
    const { reader } = createReader({ days: 500 })
    const countTotals: VisitCountReader['countTotals'] = (_, ranges) =>
      ranges.map(({ dateFrom = 0, dateTo = 0 }) => ({ human: dateTo - dateFrom, ai: 0, total: dateFrom }))
    const question = { projectId: 'prj_1', range, pages: selection, comparison }
    const { series, compared } = await viewReport({ ...reader, countTotals }, question)
    const first = 20_700
    const want = series.periods.map(({ total, human }) => Math.max(0, Math.min(human, total + human - days - first)))
    expect(compared?.periods.map(({ human }) => human)).toEqual(want)
  },
)

test('lists are cut at 100 rows, and the number of the others is told', async () => {
  const many = (write: (i: number) => string, count: number) => Array.from({ length: count }, (_, i) => write(i))
  const { labels, assistantPages, cut } = await view({
    labels: [
      ...many(i => `agent:${i}`, 101),
      ...many(i => `neither:${i}`, 100),
      'from:',
      ...many(i => `from:claude.ai/${i}`, 250),
    ],
  })
  expect(cut).toEqual({ agents: 1, neither: 0, assistantPages: 150, missing: 0, broken: 0 })
  expect([labels.agents, labels.neither, labels.referrals.pages, assistantPages].map(list => list.length)).toEqual([
    100, 100, 100, 100,
  ])
})

test.each([0, 1, 1000, 2500])('the file of %d pages is JSON with all of them, in parts', async pages => {
  const { reader } = createReader({ pages })
  const file = await writeReportFile(reader, { projectId: 'prj_1', range: {} })
  const parts: string[] = []
  for await (const part of { [Symbol.asyncIterator]: () => file }) parts.push(part)
  expect(parts).toHaveLength(Math.ceil(pages / 1000) + 1)
  const written = JSON.parse(parts.join(''))
  expect(Object.keys(written)).toEqual([
    'project',
    'dateFrom',
    'dateTo',
    'totals',
    'series',
    'pageCount',
    'labels',
    'coverage',
    'assistantPages',
    'readFrom',
    'labelledFrom',
    'prunedBefore',
    'pages',
  ])
  expect(written.pages).toHaveLength(pages)
  expect(written.pages.at(-1)?.path).toBe(pages === 0 ? undefined : `/"${pages - 1}"`)
})
