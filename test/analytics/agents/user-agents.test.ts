import { expect, test } from 'vitest'
import { countRow, formatJudgement, judge } from '../../../scripts/agents/judgement.ts'
import type { LabelledGroup } from '../../../scripts/agents/labelled.ts'
import { classify } from '../../../server/analytics/agents/classify.ts'
import aiAgents from './user-agents/ai-agents.json' with { type: 'json' }
import classicBots from './user-agents/classic-bots.json' with { type: 'json' }
import humans from './user-agents/humans.json' with { type: 'json' }
import independent from './user-agents/independent.json' with { type: 'json' }

interface DatedGroup extends LabelledGroup {
  date: string
  about: string
}

const groups = [...humans, ...aiAgents, ...classicBots] as DatedGroup[]
/** Quire uses the crawler-user-agents list, so the user agents of the other sources are also checked separately. */
const isIndependent = ({ source }: DatedGroup) => !source.includes('/crawler-user-agents/')
test.each([
  ['all labelled user agents', groups],
  ['user agents from sources that Quire does not use', groups.filter(isIndependent)],
])('%s: AI is recognized, people are not classified as AI, bots are neither', (title, among) => {
  const rates = judge(among)
  console.log(formatJudgement(title, rates, 20))
  expect(rates.aiRecall).toBeGreaterThanOrEqual(0.99)
  expect(rates.humansCalledAi).toBeLessThanOrEqual(0.005)
  expect(rates.botsCalledHuman + rates.botsCalledAi).toBeLessThanOrEqual(0.02)
})

test('lists that Quire does not use: AI is recognized, people stay people, and bots are not people', () => {
  const rates = judge(independent as DatedGroup[])
  console.log(formatJudgement('lists that Quire does not use', rates, 20))
  expect(rates.aiRecall).toBeGreaterThanOrEqual(0.9)
  expect(rates.humansCalledOther).toBeLessThan(0.003)
  expect(rates.botsCalledHuman).toBeLessThan(0.005)
  const { human, ai, neither } = rates.table
  expect([countRow(human) > 500, countRow(ai) > 20, countRow(neither) > 250]).toEqual([true, true, true])
})

test('there are enough samples, without duplicates, with a source and a date', () => {
  const all = groups.flatMap(group => group.userAgents)
  expect(new Set(all).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(1000)
  expect(groups.filter(isIndependent).flatMap(group => group.userAgents).length).toBeGreaterThan(800)
  const { table } = judge(groups)
  expect(countRow(table.human)).toBeGreaterThanOrEqual(120)
  expect(countRow(table.ai)).toBeGreaterThanOrEqual(120)
  expect(countRow(table.neither)).toBeGreaterThanOrEqual(150)
  for (const { source, date, about } of groups) {
    expect(source).toMatch(/^https?:\/\//)
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(about).not.toBe('')
  }
})

// Seen by a server in February 2026: https://github.com/oborys/AI-Agents-HTTP-level-behaviour (arXiv 2604.02544).
test.each([
  ['Antigravity', 'Go-http-client/2.0', 'neither'],
  ['Claude Code', 'axios/1.8.4', 'neither'],
  ['Cline and Junie', 'curl/8.4.0', 'neither'],
  ['Cursor', 'got (https://github.com/sindresorhus/got)', 'neither'],
  ['Windsurf', 'colly - https://github.com/gocolly/colly', 'neither'],
  [
    'OpenCode',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
    'human',
  ],
  [
    'VS Code',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Code/1.111.0 Chrome/142.0.7444.265 Electron/39.6.0 Safari/537.36',
    'human',
  ],
])('%s does not identify itself as an agent, and counts as the client that it claims to be', (_, userAgent, kind) => {
  expect(classify(userAgent).kind).toBe(kind)
})
