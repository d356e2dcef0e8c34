import { expect, test } from 'vitest'
import { formatDay, parseDay } from '../../../server/analytics/day.ts'
import {
  compareRows,
  findComparedRange,
  readCompared,
  showChange,
  showDifference,
} from '../../../server/analytics/report/compare.ts'
import type { VisitCountReader } from '../../../server/analytics/visit-counts.ts'
import { noAgentPages, noReport } from '../../../server/store/visits/visit-reports.ts'

const dayOf = (date: string) => parseDay(date) as number

test.each([
  ['previous', '2026-11-01', '2026-11-08', ['2026-10-25', '2026-11-01']],
  ['previous', '2026-11-01', undefined, ['2026-10-12', '2026-11-01']],
  ['previous', '2026-12-01', undefined, ['2026-12-01', '2026-12-01']],
  ['year', '2026-11-01', '2026-12-01', ['2025-11-01', '2025-12-01']],
  ['year', '2028-02-29', '2028-03-01', ['2027-03-01', '2027-03-01']],
] as const)('compared with %s, %s to %s is %j', (comparison, from, to, want) => {
  const range = { dateFrom: dayOf(from), ...(to && { dateTo: dayOf(to) }) }
  const compared = findComparedRange(range, comparison, dayOf('2026-11-20'))
  expect([compared?.dateFrom, compared?.dateTo].map(day => formatDay(day ?? 0))).toEqual(want)
})

test('a range without a first day is compared with nothing', () => {
  expect(findComparedRange({ dateTo: 5 }, 'year', 9)).toBeUndefined()
})

test('the totals and the wanted pages of the range before are read, and days without visits are said', async () => {
  const page = (path: string, total: number) => ({ path, human: total, ai: 0, total })
  const first = dayOf('2026-11-05')
  const reader: VisitCountReader = {
    findVisitedDays: () => ({ first, last: first + 20, labelledFrom: undefined }),
    countRange: (_, range) => {
      expect(range).toEqual({ dateFrom: first, dateTo: first + 5 })
      return { ...noReport, pageCount: 2, countsOf: paths => paths.map(path => page(path, path === '/a' ? 3 : 0)) }
    },
    countTotals: (_, ranges) => ranges.map(() => ({ human: 3, ai: 2, total: 4 })),
    countLabels: () => new Map(),
    readAgentPages: () => noAgentPages,
  }
  const range = { dateFrom: first + 5, dateTo: first + 15 }
  const pages = [page('/new', 9), page('/a', 1)]
  expect(await readCompared(reader, { projectId: 'prj_1', range, comparison: 'previous', pages })).toEqual({
    with: 'previous',
    dateFrom: '2026-10-31',
    dateTo: '2026-11-10',
    totals: { human: 3, ai: 2, both: 1, total: 4 },
    visitedFrom: '2026-11-05',
    pages: [page('/new', 0), page('/a', 3)],
    periods: [],
  })
})

test.each([
  [112, 100, '+12 %', '+12 (+12 %)'],
  [99, 100, '-1 %', '-1 (-1 %)'],
  [0, 7, '-100 %', '-7 (-100 %)'],
  [5, 0, 'new', '+5 (new)'],
  [0, 0, '0 %', '0'],
])('%d after %d is shown as %s, and in tables as %s', (now, before, want, inTables) => {
  expect(showChange(now, before)).toBe(want)
  expect(showDifference(now, before)).toBe(inTables)
})

test('a count that is not known stays empty in the compared range', async () => {
  const rows: unknown[] = []
  for await (const part of compareRows(['path', 'ai', 'human'], [[['/a', '', 2]]], [])) rows.push(...part)
  expect(rows).toEqual([['/a', '', 2, '', 0]])
})

test('rows are matched by their texts without dates, and rows that vanished come last', async () => {
  const columns = ['dateFrom', 'path', 'kind', 'total']
  const now = [[['d2', '/a', 'ai', 4]], [['d2', '/b', 'ai', 1]]]
  const before = [
    [
      ['d1', '/a', 'ai', 3],
      ['d1', '/a', 'human', 2],
    ],
  ]
  const rows: unknown[] = []
  for await (const part of compareRows(columns, now, before)) rows.push(...part)
  expect(rows).toEqual([
    ['d2', '/a', 'ai', 4, 3],
    ['d2', '/b', 'ai', 1, 0],
    ['d1', '/a', 'human', 0, 2],
  ])
})
