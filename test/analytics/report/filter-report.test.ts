import { expect, test } from 'vitest'
import { buildFilteredReport, type ReportFilter } from '../../../server/analytics/report/filter-report.ts'
import { choosePeriodLength } from '../../../server/analytics/report/periods.ts'
import { openFilteredTable, type TableName } from '../../../server/analytics/report/tables.ts'
import type { VisitCountReader } from '../../../server/analytics/visit-counts.ts'
import { noReport } from '../../../server/store/visits/visit-reports.ts'

const labels = {
  'agent:ChatGPT-User': 2,
  'agent:GPTBot': 3,
  'class:assistant': 2,
  'class:training': 3,
  'neither:empty': 4,
  'file:ai:Markdown': 6,
  'from:': 3,
  'from:chatgpt.com': 2,
  'from:chatgpt.com/docs/a': 2,
  'from:claude.ai/docs/a': 1,
  'failed:human:missing': 3,
  'failed:human:missing/docs/x': 3,
  'failed:human:missing/docs/x chatgpt.com': 2,
  'failed:ai:missing/docs/x': 5,
  'failed:ai:missing/docs/x ChatGPT-User': 2,
  'failed:ai:missing/docs/x GPTBot': 3,
  'failed:ai:missing/y': 1,
  'failed:ai:missing/y GPTBot': 1,
}
const pages = ['/docs/a', '/docs/b', '/blog'].map(path => ({ path, human: 1, ai: 0, total: 1 }))
const reader: VisitCountReader = {
  findVisitedDays: () => ({ first: 1, last: 2, labelledFrom: undefined }),
  countRange: () => ({
    ...noReport,
    pageCount: 3,
    listPages: (from, to) => pages.slice(from, to),
    labels: new Map(Object.entries(labels)),
  }),
  readAgentPages: () => ({
    agents: new Map([
      ['ChatGPT-User', { pages: Uint32Array.of(0), visitors: Uint32Array.of(2) }],
      ['GPTBot', { pages: Uint32Array.of(0, 1), visitors: Uint32Array.of(3, 1) }],
    ]),
    readFrom: 0,
    pathsOf: numbers => [...numbers].map(number => pages[number]?.path ?? ''),
  }),
  countTotals: (_, ranges) => ranges.map(() => noReport.totals),
}
const options = { projectId: 'prj_1', range: {} }

test.each<[ReportFilter, object]>([
  [
    { path: '/docs/' },
    { pages: ['/docs/a'], pageCount: 2, agents: 0, referred: 2, missing: [['/docs/x', 3, 5]], files: 0 },
  ],
  [
    { agent: 'gptbot' },
    {
      pages: [],
      pageCount: 0,
      agents: 1,
      referred: 0,
      missing: [
        ['/docs/x', 0, 3],
        ['/y', 0, 1],
      ],
      files: 0,
    },
  ],
  [{ class: 'assistant' }, { pages: [], pageCount: 0, agents: 1, referred: 0, missing: [['/docs/x', 0, 2]], files: 0 }],
  [
    { referrer: 'chatgpt.com' },
    { pages: [], pageCount: 0, agents: 0, referred: 1, missing: [['/docs/x', 2, 0]], files: 0 },
  ],
  [
    { class: 'training', path: '/y' },
    { pages: [], pageCount: 0, agents: 0, referred: 0, missing: [['/y', 0, 1]], files: 0 },
  ],
  [
    { class: 'training', referrer: 'chatgpt.com' },
    { pages: [], pageCount: 0, agents: 0, referred: 0, missing: [], files: 0 },
  ],
  [
    {},
    {
      pages: ['/docs/a'],
      pageCount: 3,
      agents: 2,
      referred: 2,
      missing: [
        ['/docs/x', 3, 5],
        ['/y', 0, 1],
      ],
      files: 1,
    },
  ],
])('the filter %j leaves the rows that it names', async (filter, want) => {
  const report = await buildFilteredReport(reader, { ...options, limit: 1, choosePeriodLength, filter })
  expect({
    pages: report.pages.map(({ path }) => path),
    pageCount: report.pageCount,
    agents: report.labels.agents.length,
    referred: report.labels.referrals.pages.length,
    missing: report.labels.failed.missing.pages.map(({ path, human, ai }) => [path, human, ai]),
    files: report.labels.files.length,
  }).toEqual(want)
})

test.each<[TableName, ReportFilter, unknown]>([
  [
    'pages',
    { path: '/docs' },
    [
      ['/docs/a', 1, 0, 1],
      ['/docs/b', 1, 0, 1],
    ],
  ],
  ['agents', { class: 'training' }, [['GPTBot', 'training', 3]]],
  ['coverage', { agent: 'gptbot' }, [['GPTBot', 'training', 2, 3]]],
  ['assistant-pages', { referrer: 'claude.ai' }, [['/docs/a', 'claude.ai', 'Claude', 0, 1]]],
  ['failed-from', { agent: 'chatgpt-user' }, [['missing', '/docs/x', 'ai', 'ChatGPT-User', 'assistant', 2]]],
  ['failed-from', { referrer: 'chatgpt.com' }, [['missing', '/docs/x', 'human', 'chatgpt.com', '', 2]]],
])('of the table %s, %j leaves %j', async (table, filter, want) => {
  const { parts } = await openFilteredTable(reader, { ...options, table, filter })
  const rows: unknown[] = []
  for await (const part of parts) rows.push(...part)
  expect(rows).toEqual(want)
})

test.each<[ReportFilter, string[], string[]]>([
  [{ class: 'training' }, ['GPTBot'], []],
  [{ referrer: 'chatgpt.com' }, [], ['/docs/a chatgpt.com']],
  [{ path: '/docs' }, [], ['/docs/a chatgpt.com', '/docs/a claude.ai']],
  [{ path: '/blog' }, [], []],
  [{}, ['GPTBot', 'ChatGPT-User'], ['/docs/a chatgpt.com', '/docs/a claude.ai']],
])('the filter %j leaves the agents %j and the pages of assistants %j', async (filter, agents, assistantPages) => {
  const report = await buildFilteredReport(reader, { ...options, limit: 1, choosePeriodLength, filter })
  expect(report.coverage.agents.map(({ agent }) => agent)).toEqual(agents)
  expect(report.assistantPages.map(({ path, site }) => `${path} ${site}`)).toEqual(assistantPages)
})

test('a filter that a table has no column for, and a comparison of a series, are refused', async () => {
  await expect(openFilteredTable(reader, { ...options, table: 'pages', filter: { agent: 'x' } })).rejects.toThrow(
    '--agent needs another --table: one of agents, coverage, readers, failed-from. This one has the columns path, human, ai, total.',
  )
  const series = { ...options, table: 'days', filter: {}, compared: { dateFrom: 1, dateTo: 2 } } as const
  await expect(openFilteredTable(reader, series)).rejects.toThrow('use --table totals')
})
