import { expect, test } from 'vitest'
import type { Kind } from '../../../server/analytics/agents/agent-list.ts'
import { classify } from '../../../server/analytics/agents/classify.ts'
import aiAgents from './user-agents/ai-agents.json' with { type: 'json' }
import classicBots from './user-agents/classic-bots.json' with { type: 'json' }
import humans from './user-agents/humans.json' with { type: 'json' }

/** User agents of one source. The label comes from the source, not from Quire. */
interface LabelledGroup {
  label: Kind
  source: string
  date: string
  about: string
  userAgents: string[]
}

const groups = [...humans, ...aiAgents, ...classicBots] as LabelledGroup[]
/** Quire uses the crawler-user-agents list, so the user agents of the other sources are also checked separately. */
const isIndependent = ({ source }: LabelledGroup) => !source.includes('/crawler-user-agents/')
const kinds: Kind[] = ['human', 'ai', 'neither']

interface Miss {
  userAgent: string
  label: Kind
  result: Kind
  rule: string
}

function measure(among: LabelledGroup[]) {
  const table = { human: emptyRow(), ai: emptyRow(), neither: emptyRow() }
  const misses: Miss[] = []
  for (const { label, userAgents } of among) {
    for (const userAgent of userAgents) {
      const { kind, rule } = classify(userAgent)
      table[label][kind]++
      if (kind !== label) misses.push({ userAgent, label, result: kind, rule })
    }
  }
  const total = (label: Kind) => kinds.reduce((sum, kind) => sum + table[label][kind], 0)
  return {
    table,
    misses,
    aiRecall: table.ai.ai / total('ai'),
    humansCalledAi: table.human.ai / total('human'),
    botsCalledOther: (table.neither.ai + table.neither.human) / total('neither'),
    total,
  }
}

function emptyRow(): Record<Kind, number> {
  return { human: 0, ai: 0, neither: 0 }
}

function print(title: string, { table, misses, ...rates }: ReturnType<typeof measure>): void {
  const percent = (rate: number) => `${(rate * 100).toFixed(2)} %`
  const rows = kinds.map(
    label => `${label.padEnd(9)}${kinds.map(kind => String(table[label][kind]).padStart(9)).join('')}`,
  )
  const missed = misses.map(({ label, result, rule, userAgent }) => `  ${label} as ${result} (${rule}): ${userAgent}`)
  console.log(
    [
      title,
      `${'label'.padEnd(9)}${kinds.map(kind => kind.padStart(9)).join('')}`,
      ...rows,
      `AI recall ${percent(rates.aiRecall)}, humans called AI ${percent(rates.humansCalledAi)}, classic bots called AI or human ${percent(rates.botsCalledOther)}`,
      ...missed,
    ].join('\n'),
  )
}

test.each([
  ['all labelled user agents', groups],
  ['user agents from sources that Quire does not use', groups.filter(isIndependent)],
])('%s: AI is recognized, people are not classified as AI, bots are neither', (title, among) => {
  const rates = measure(among)
  print(title, rates)
  expect(rates.aiRecall).toBeGreaterThanOrEqual(0.99)
  expect(rates.humansCalledAi).toBeLessThanOrEqual(0.005)
  expect(rates.botsCalledOther).toBeLessThanOrEqual(0.02)
})

test('there are enough samples, without duplicates, with a source and a date', () => {
  const all = groups.flatMap(group => group.userAgents)
  expect(new Set(all).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(1000)
  expect(groups.filter(isIndependent).flatMap(group => group.userAgents).length).toBeGreaterThan(800)
  const { total } = measure(groups)
  expect(total('human')).toBeGreaterThanOrEqual(120)
  expect(total('ai')).toBeGreaterThanOrEqual(120)
  expect(total('neither')).toBeGreaterThanOrEqual(150)
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
    'neither',
  ],
])('%s does not identify itself as an agent, and counts as the client that it claims to be', (_, userAgent, kind) => {
  expect(classify(userAgent).kind).toBe(kind)
})
