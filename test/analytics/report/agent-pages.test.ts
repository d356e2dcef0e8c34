import { expect, test } from 'vitest'
import { findAgentUse } from '../../../server/analytics/agents/agent-use.ts'
import { listAssistants } from '../../../server/analytics/assistant-sites.ts'
import { reportAssistantPages, reportCoverage } from '../../../server/analytics/report/agent-pages.ts'
import { choosePeriodLength } from '../../../server/analytics/report/periods.ts'
import { buildReport } from '../../../server/analytics/report/visit-report.ts'
import type { AgentPages } from '../../../server/analytics/visit-counts.ts'
import { noAgentPages, nobody, noReport } from '../../../server/store/visits/visit-reports.ts'

const paths = ['/', '/a', '/b']
const read: AgentPages = {
  agents: new Map([
    ['ChatGPT-User', { pages: Uint32Array.of(0, 1), visitors: Uint32Array.of(4, 1) }],
    ['OAI-SearchBot', { pages: Uint32Array.of(1), visitors: Uint32Array.of(2) }],
    ['GPTBot', { pages: Uint32Array.of(0, 1, 2), visitors: Uint32Array.of(9, 9, 9) }],
  ]),
  all: noAgentPages.all,
  readFrom: 0,
  pathsOf: pages => [...pages].map(page => paths[page] as string),
}

test('the agents come with the number of pages that they read, the most first', () => {
  expect(reportCoverage(read, 7)).toEqual({
    pages: 7,
    agents: [
      { agent: 'GPTBot', use: 'training', read: 3 },
      { agent: 'ChatGPT-User', use: 'assistant', read: 2 },
      { agent: 'OAI-SearchBot', use: 'search', read: 1 },
    ],
  })
})

test('an agent to which an operator gave another class is named without it', async () => {
  const agents = new Map([
    ['GPTBot@search', { pages: Uint32Array.of(0, 1), visitors: Uint32Array.of(4, 1) }],
    ['ChatGPT-User@search', { pages: Uint32Array.of(2), visitors: Uint32Array.of(7) }],
  ])
  expect(reportCoverage({ agents }, 7).agents).toEqual([
    { agent: 'GPTBot', use: 'search', read: 2 },
    { agent: 'ChatGPT-User', use: 'search', read: 1 },
  ])
  expect(await reportAssistantPages({ ...read, agents }, [])).toMatchObject([
    { path: '/b', assistant: 'ChatGPT', ai: 7 },
  ])
})

test('a page has the readers of an assistant for questions and for its search, and the people who came from it', async () => {
  const referred = [
    { path: '/a', site: 'chatgpt.com', visitors: 5 },
    { path: '/b', site: 'chatgpt.com', visitors: 6 },
    { path: '/a', site: 'copilot.microsoft.com', visitors: 1 },
  ]
  const rows = await reportAssistantPages(read, referred)
  expect(rows.map(({ path, assistant, ai, human }) => [path, assistant, ai, human])).toEqual([
    ['/b', 'ChatGPT', 0, 6],
    ['/a', 'ChatGPT', 3, 5],
    // No reader of this assistant has a name of its own.
    ['/a', 'Microsoft Copilot', null, 1],
    ['/', 'ChatGPT', 4, 0],
  ])
})

test('the agents of assistants are agents of the lists that answer questions or search', () => {
  const agents = listAssistants().flatMap(({ agents }) => agents)
  expect(agents.length).toBeGreaterThan(10)
  for (const agent of agents)
    expect([agent, findAgentUse(agent)]).toEqual([agent, expect.stringMatching('assistant|search')])
})

test.each([
  [20_700, null],
  [20_701, '2026-09-05'],
])(
  'a range in which what agents read is known since day %d says so, unless it is all of it',
  async (readFrom, want) => {
    const reader = {
      findVisitedDays: () => ({ first: 20_700, last: 20_702, labelledFrom: undefined }),
      countRange: () => noReport,
      countTotals: () => [0, 1, 2, 3].map(() => nobody),
      countLabels: () => new Map<string, number>(),
      readAgentPages: () => ({ ...read, readFrom }),
    }
    const report = await buildReport(reader, { projectId: 'prj_1', range: {}, limit: 1, choosePeriodLength })
    expect(report.readFrom).toBe(want)
  },
)
