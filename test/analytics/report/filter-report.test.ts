import { expect, test } from 'vitest'
import { chooseLabels, toMatchedTotals } from '../../../server/analytics/report/choose-labels.ts'
import { buildFilteredReport, type ReportFilter } from '../../../server/analytics/report/filter-report.ts'
import { choosePeriodLength } from '../../../server/analytics/report/periods.ts'
import { openFilteredTable, type TableName } from '../../../server/analytics/report/tables.ts'
import type { VisitCountReader } from '../../../server/analytics/visit-counts.ts'
import type { LabelChoice } from '../../../server/analytics/visit-filter.ts'
import { noReport } from '../../../server/store/visits/visit-reports.ts'

/** The stored labels, each with its own visitors. */
const stored = Object.entries({
  'agent:ChatGPT-User': 2,
  'agent:GPTBot': 3,
  'neither:empty': 4,
  'file:ai:Markdown': 6,
  'read:Markdown:GPTBot': 1,
  'from:chatgpt.com/docs/a': 2,
  'from:claude.ai/docs/a': 1,
  'failed:human:missing/docs/x chatgpt.com': 2,
  'failed:human:missing/docs/x': 1,
  'failed:ai:missing/docs/x ChatGPT-User': 2,
  'failed:ai:missing/docs/x GPTBot': 3,
  'failed:ai:missing/y GPTBot': 1,
  'loaded:': 3,
})
const numbers = new Map(stored.map(([label], i) => [i, label]))
const pages = ['/docs/a', '/docs/b', '/blog'].map(path => ({ path, human: 1, ai: 0, total: 1 }))

function countLabels(choice?: LabelChoice): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [number, labels] of chooseLabels(numbers, choice).counted) {
    for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + (stored[number]?.[1] ?? 0))
  }
  return counts
}

const readings = {
  'ChatGPT-User': [[0], [2]],
  GPTBot: [
    [0, 1],
    [3, 1],
  ],
} as const
const reader: VisitCountReader = {
  findVisitedDays: () => ({ first: 1, last: 2, labelledFrom: undefined }),
  countRange: () => ({ ...noReport, pageCount: 3, listPages: (from, to) => pages.slice(from, to) }),
  countLabels: (_project, _range, choice) => countLabels(choice),
  readAgentPages(_project, _range, filter) {
    const chosen = new Set([...chooseLabels(numbers, { filter }).agents.values()].map(({ agent }) => agent))
    const read = Object.entries(readings).filter(([agent]) => chosen.has(agent))
    const all = new Map<number, number>()
    for (const [, [pages, visitors]] of read)
      for (const [i, page] of pages.entries()) all.set(page, (all.get(page) ?? 0) + (visitors[i] ?? 0))
    return {
      agents: new Map(
        read.map(([agent, [pages, visitors]]) => [
          agent,
          { pages: Uint32Array.from(pages), visitors: Uint32Array.from(visitors) },
        ]),
      ),
      all: { pages: Uint32Array.from(all.keys()), visitors: Uint32Array.from(all.values()) },
      readFrom: 0,
      pathsOf: numbers => [...numbers].map(number => pages[number]?.path ?? ''),
    }
  },
  countTotals: (_project, ranges, filter) =>
    ranges.map(() => (filter ? toMatchedTotals(countLabels({ filter })) : { human: 9, ai: 5, total: 14 })),
}
const options = { projectId: 'prj_1', range: {} }

test.each<[ReportFilter, object]>([
  [
    { path: '/docs/' },
    {
      totals: [9, 5, 14],
      pages: ['/docs/a 1', '/docs/b 1'],
      agents: [],
      referred: 2,
      missing: ['/docs/x 3 5'],
      files: 0,
    },
  ],
  [
    { agent: 'gptbot' },
    {
      totals: [0, 3, 3],
      pages: ['/docs/a 3', '/docs/b 1'],
      agents: ['GPTBot'],
      referred: 0,
      missing: ['/docs/x 0 3', '/y 0 1'],
      files: 0,
    },
  ],
  [
    { class: 'assistant' },
    {
      totals: [0, 2, 2],
      pages: ['/docs/a 2'],
      agents: ['ChatGPT-User'],
      referred: 0,
      missing: ['/docs/x 0 2'],
      files: 0,
    },
  ],
  [
    { assistant: 'chatgpt' },
    {
      totals: [2, 2, 4],
      pages: ['/docs/a 4'],
      agents: ['ChatGPT-User'],
      referred: 1,
      missing: ['/docs/x 2 2'],
      files: 0,
    },
  ],
  [
    { referrer: 'chatgpt.com' },
    { totals: [2, 0, 2], pages: ['/docs/a 2'], agents: [], referred: 1, missing: ['/docs/x 2 0'], files: 0 },
  ],
  [
    { class: 'training', path: '/y' },
    { totals: [0, 3, 3], pages: [], agents: [], referred: 0, missing: ['/y 0 1'], files: 0 },
  ],
  [
    { class: 'training', referrer: 'chatgpt.com' },
    { totals: [0, 0, 0], pages: [], agents: [], referred: 0, missing: [], files: 0 },
  ],
  [
    {},
    {
      totals: [9, 5, 14],
      pages: ['/docs/a 1', '/docs/b 1', '/blog 1'],
      agents: ['GPTBot', 'ChatGPT-User'],
      referred: 2,
      missing: ['/docs/x 3 5', '/y 0 1'],
      files: 1,
    },
  ],
])('the filter %j chooses visits', async (filter, want) => {
  const report = await buildFilteredReport(reader, { ...options, limit: 9, choosePeriodLength, filter })
  const { totals, labels } = report
  expect({
    totals: [totals.human, totals.ai, totals.total],
    pages: report.pages.map(({ path, total }) => `${path} ${total}`),
    agents: labels.agents.map(({ agent }) => agent),
    referred: labels.referrals.pages.length,
    missing: labels.failed.missing.pages.map(({ path, human, ai }) => `${path} ${human} ${ai}`),
    files: labels.files.length,
  }).toEqual(want)
})

test.each<[TableName, ReportFilter, unknown]>([
  ['pages', { path: '/docs/b' }, [['/docs/b', 1, 0, 1]]],
  ['pages', { agent: 'GPTBot', path: '/docs/b' }, [['/docs/b', 0, 1, 1]]],
  ['totals', { assistant: 'ChatGPT' }, [['1970-01-02', '1970-01-04', 2, 2, 0, 4]]],
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

test('a filter that a table cannot apply, and a comparison of a series, are refused', async () => {
  const open = (table: TableName, filter: ReportFilter) => openFilteredTable(reader, { ...options, table, filter })
  await expect(open('files', { agent: 'x' })).rejects.toThrow(
    /--agent needs another --table: one of totals, days, .*failed-from\. This/,
  )
  await expect(open('agents', { path: '/' })).rejects.toThrow(
    '--path needs another --table: one of pages, unread, referral-pages, assistant-pages, failed, failed-from.',
  )
  const series = { ...options, table: 'days', filter: {}, compared: { dateFrom: 1, dateTo: 2 } } as const
  await expect(openFilteredTable(reader, series)).rejects.toThrow('use --table totals')
})
