// A long file: one table of visits, and what each part of the report says of it.
import { expect, test } from 'vitest'
import { choosePeriodLength } from '../../../server/analytics/report/periods.ts'
import type { Cell } from '../../../server/analytics/report/rows.ts'
import { openTable, type Table, type TableName } from '../../../server/analytics/report/tables.ts'
import { buildReport, reportLists } from '../../../server/analytics/report/visit-report.ts'
import type { DayRange, PageVisitors } from '../../../server/analytics/unique-visitors.ts'
import type { VisitCountReader } from '../../../server/analytics/visit-counts.ts'
import { noAgentPages, nobody, noReport } from '../../../server/store/visits/visit-reports.ts'

const visitors = (path: string, human: number, ai: number): PageVisitors => ({ path, human, ai, total: human + ai })
const day = 20_700
const labels = {
  'agent:ChatGPT-User': 2,
  'agent:GPTBot': 3,
  'agent:CCBot': 3,
  'agent:claude-code': 1,
  'agent:Markdown view': 1,
  'class:assistant': 2,
  'class:training': 5,
  'class:coding': 1,
  'class:unknown': 1,
  'neither:empty': 4,
  'neither:seo: AhrefsBot': 5,
  'file:ai:llms.txt': 2,
  'file:human:llms.txt': 1,
  'file:ai:Markdown': 6,
  'failed:human:missing': 3,
  'failed:human:missing/x': 3,
  'failed:human:missing/x chatgpt.com': 2,
  'failed:human:missing/x example.com': 2,
  'failed:human:missing*': 1,
  'failed:ai:missing': 2,
  'failed:ai:missing/y': 2,
  'failed:ai:missing/y ChatGPT-User': 2,
  'failed:ai:broken': 1,
  'failed:ai:broken/x': 1,
  'failed:ai:broken/x GPTBot': 1,
  'read:llms.txt:GPTBot': 2,
  'from:': 3,
  'from:claude.ai': 1,
  'from:chatgpt.com': 2,
  'from:chatgpt.com/b': 1,
  'from:chatgpt.com/a': 1,
  'from:claude.ai/a': 1,
  'loaded:': 7,
  'later:x': 9,
}

/** Has the same counts on each of three days. */
function createReader(labelledFrom?: number, prunedBefore?: number): VisitCountReader & { asked: DayRange[] } {
  const asked: DayRange[] = []
  const totals = { human: 20, ai: 10, total: 28 }
  return {
    asked,
    findVisitedDays: () => ({ first: day, last: day + 2, labelledFrom, prunedBefore }),
    countRange(_, range) {
      asked.push(range)
      const pages = [visitors('/b', 9, 1), visitors('/a', 8, 0), visitors('/c', 1, 0)]
      const listPages = (from: number, to: number) => pages.slice(from, to)
      const selectPages = () => ({ pages: pages.slice(1), matching: 2 })
      return { pageCount: 3, listPages, countsOf: () => [], selectPages }
    },
    countLabels: () => new Map(Object.entries(labels)),
    readAgentPages: () => noAgentPages,
    countTotals: (_, ranges) => ranges.map(() => totals),
  }
}

const options = { projectId: 'prj_1', range: {}, limit: 2, choosePeriodLength }

/** Reads all rows of a table. */
async function readRows({ parts }: Table) {
  const rows: (readonly Cell[])[] = []
  for await (const part of parts) rows.push(...part)
  return rows
}

test('a report has totals, the first pages, and the labels by type', async () => {
  expect(await buildReport(createReader(), options)).toEqual({
    dateFrom: '2026-09-04',
    dateTo: '2026-09-07',
    totals: { human: 20, ai: 10, both: 2, total: 28 },
    series: {
      by: 'day',
      periods: ['04', '05', '06'].map((date, i) => ({
        dateFrom: `2026-09-${date}`,
        dateTo: `2026-09-0${i + 5}`,
        human: 20,
        ai: 10,
        both: 2,
        total: 28,
      })),
    },
    pages: [visitors('/b', 9, 1), visitors('/a', 8, 0)],
    pageCount: 3,
    coverage: { pages: 3, agents: [] },
    assistantPages: [
      { path: '/a', site: 'chatgpt.com', assistant: 'ChatGPT', ai: 0, human: 1 },
      { path: '/a', site: 'claude.ai', assistant: 'Claude', ai: 0, human: 1 },
      { path: '/b', site: 'chatgpt.com', assistant: 'ChatGPT', ai: 0, human: 1 },
    ],
    readFrom: null,
    prunedBefore: null,
    labels: {
      agents: [
        { agent: 'CCBot', use: 'training', visitors: 3 },
        { agent: 'GPTBot', use: 'training', visitors: 3 },
        { agent: 'ChatGPT-User', use: 'assistant', visitors: 2 },
        { agent: 'Markdown view', use: 'unknown', visitors: 1 },
        { agent: 'claude-code', use: 'coding', visitors: 1 },
      ],
      uses: [
        { use: 'assistant', agents: 1, visitors: 2 },
        { use: 'training', agents: 2, visitors: 5 },
        { use: 'coding', agents: 1, visitors: 1 },
        { use: 'unknown', agents: 1, visitors: 1 },
      ],
      neither: [
        { rule: 'seo: AhrefsBot', visitors: 5 },
        { rule: 'empty', visitors: 4 },
      ],
      files: [
        { file: 'Markdown', human: 0, ai: 6, neither: 0 },
        { file: 'llms.txt', human: 1, ai: 2, neither: 0 },
      ],
      loaded: 7,
      readers: [{ file: 'llms.txt', agent: 'GPTBot', use: 'training', visitors: 2 }],
      failed: {
        missing: {
          human: 3,
          ai: 2,
          unlisted: { human: 1, ai: 0 },
          pages: [
            {
              path: '/x',
              human: 3,
              ai: 0,
              sites: [
                { site: 'chatgpt.com', visitors: 2 },
                { site: 'example.com', visitors: 2 },
              ],
              agents: [],
            },
            {
              path: '/y',
              human: 0,
              ai: 2,
              sites: [],
              agents: [{ agent: 'ChatGPT-User', use: 'assistant', visitors: 2 }],
            },
          ],
        },
        broken: {
          human: 0,
          ai: 1,
          unlisted: { human: 0, ai: 0 },
          pages: [
            { path: '/x', human: 0, ai: 1, sites: [], agents: [{ agent: 'GPTBot', use: 'training', visitors: 1 }] },
          ],
        },
      },
      referrals: {
        visitors: 3,
        sites: [
          { site: 'chatgpt.com', assistant: 'ChatGPT', visitors: 2 },
          { site: 'claude.ai', assistant: 'Claude', visitors: 1 },
        ],
        pages: [
          { path: '/a', site: 'chatgpt.com', visitors: 1 },
          { path: '/a', site: 'claude.ai', visitors: 1 },
          { path: '/b', site: 'chatgpt.com', visitors: 1 },
        ],
      },
    },
    labelledFrom: null,
  })
})

test.each<[DayRange, DayRange]>([
  [{}, { dateFrom: day, dateTo: day + 3 }],
  [
    { dateFrom: 0, dateTo: day + 99 },
    { dateFrom: day, dateTo: day + 3 },
  ],
  [
    { dateFrom: day + 1, dateTo: day + 2 },
    { dateFrom: day + 1, dateTo: day + 2 },
  ],
  [
    { dateFrom: day + 50, dateTo: day + 99 },
    { dateFrom: day + 50, dateTo: day + 50 },
  ],
])('the range %j is cut to the days with visits', async (range, want) => {
  const reader = createReader()
  await buildReport(reader, { ...options, range })
  expect(reader.asked).toEqual([want])
})

test('a project without visits has an empty report', async () => {
  const reader: VisitCountReader = {
    findVisitedDays: () => undefined,
    countRange: () => noReport,
    countTotals: (_, ranges) => ranges.map(() => nobody),
    countLabels: () => new Map(),
    readAgentPages: () => noAgentPages,
  }
  expect(await buildReport(reader, options)).toMatchObject({
    dateFrom: null,
    dateTo: null,
    series: { periods: [] },
    pages: [],
  })
  expect(await readRows(await openTable(reader, { ...options, table: 'totals' }))).toEqual([])
  expect(await readRows(await openTable(reader, { ...options, table: 'pages', by: 'day' }))).toEqual([])
})

test.each([
  [day, null],
  [day + 1, null],
])('days that an earlier version counted are told, unless every AI visitor has an agent (%d)', async (from, want) => {
  expect((await buildReport(createReader(from), options)).labelledFrom).toBe(want)
})

test.each([undefined, ...reportLists])('days without the agents of all AI visitors are told (%s)', async list => {
  const reader = createReader(day + 1)
  const read = async (visitors: number) => {
    const all = Object.entries({ 'agent:GPTBot': visitors, 'from:': 1 })
    const countLabels: VisitCountReader['countLabels'] = (_project, _range, { isWanted = () => true } = {}) =>
      new Map(all.filter(([label]) => isWanted(label)))
    return (await buildReport({ ...reader, countLabels }, { ...options, list })).labelledFrom
  }
  expect([await read(9), await read(10)]).toEqual(['2026-09-05', null])
})

test('a range without such days has none', async () => {
  const reader = createReader(day + 1)
  const countLabels = () => new Map([['agent:GPTBot', 9]])
  const later = { ...options, range: { dateFrom: day + 1 } }
  expect((await buildReport({ ...reader, countLabels }, later)).labelledFrom).toBeNull()
})

test.each<[TableName, 'day' | undefined, string[], unknown[], number]>([
  [
    'totals',
    undefined,
    ['dateFrom', 'dateTo', 'human', 'ai', 'both', 'total'],
    ['2026-09-04', '2026-09-07', 20, 10, 2, 28],
    1,
  ],
  ['totals', 'day', ['date', 'human', 'ai', 'both', 'total'], ['2026-09-04', 20, 10, 2, 28], 3],
  ['days', undefined, ['date', 'human', 'ai', 'both', 'total'], ['2026-09-04', 20, 10, 2, 28], 3],
  [
    'weeks',
    undefined,
    ['dateFrom', 'dateTo', 'human', 'ai', 'both', 'total'],
    ['2026-09-04', '2026-09-07', 20, 10, 2, 28],
    1,
  ],
  [
    'months',
    undefined,
    ['dateFrom', 'dateTo', 'human', 'ai', 'both', 'total'],
    ['2026-09-04', '2026-09-07', 20, 10, 2, 28],
    1,
  ],
  ['pages', undefined, ['path', 'human', 'ai', 'total'], ['/b', 9, 1, 10], 3],
  ['pages', 'day', ['date', 'path', 'human', 'ai', 'total'], ['2026-09-04', '/b', 9, 1, 10], 9],
  ['agents', 'day', ['date', 'agent', 'use', 'visitors'], ['2026-09-04', 'CCBot', 'training', 3], 15],
  ['uses', undefined, ['use', 'agents', 'visitors'], ['assistant', 1, 2], 4],
  ['neither', undefined, ['rule', 'visitors'], ['seo: AhrefsBot', 5], 2],
  ['files', undefined, ['file', 'human', 'ai', 'neither'], ['Markdown', 0, 6, 0], 2],
  ['readers', undefined, ['file', 'agent', 'use', 'visitors'], ['llms.txt', 'GPTBot', 'training', 2], 1],
  ['unread', undefined, ['path', 'human'], ['/a', 8], 2],
  ['failed', undefined, ['failure', 'path', 'human', 'ai'], ['missing', '/x', 3, 0], 3],
  [
    'failed-from',
    undefined,
    ['failure', 'path', 'kind', 'from', 'use', 'visitors'],
    ['missing', '/x', 'human', 'chatgpt.com', '', 2],
    4,
  ],
  ['referrals', undefined, ['site', 'assistant', 'visitors'], ['chatgpt.com', 'ChatGPT', 2], 2],
  [
    'assistant-pages',
    undefined,
    ['path', 'site', 'assistant', 'ai', 'human'],
    ['/a', 'chatgpt.com', 'ChatGPT', 0, 1],
    3,
  ],
  ['referral-pages', undefined, ['path', 'site', 'visitors'], ['/a', 'chatgpt.com', 1], 3],
])('the table %s by %s has the columns %j', async (table, by, columns, first, count) => {
  const opened = await openTable(createReader(), { ...options, table, by })
  const rows = await readRows(opened)
  expect([opened.columns, rows[0], rows.length]).toEqual([columns, first, count])
  expect(rows.every(row => row.length === columns.length)).toBe(true)
})

test.each([
  [day, null],
  [day + 1, '2026-09-05'],
  [day + 2, '2026-09-06'],
  [day + 3, null],
])('a range of which the visitors before day %d were pruned says so, if some are left', async (prunedBefore, want) => {
  expect((await buildReport(createReader(undefined, prunedBefore), options)).prunedBefore).toBe(want)
})
