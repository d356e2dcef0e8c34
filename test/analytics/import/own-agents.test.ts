import { expect, test } from 'vitest'
import { findAgentUse } from '../../../server/analytics/agents/agent-use.ts'
import { LabelCounter } from '../../../server/analytics/counters/label-sets.ts'
import { explainByOwn, explainOwnVerdict, OwnAgents } from '../../../server/analytics/import/own-agents.ts'
import { listCountedLabels } from '../../../server/analytics/labels.ts'
import { reportLabels } from '../../../server/analytics/report/visit-report.ts'
import { type OwnAgent, usualCounting } from '../../../server/tenancy/project.ts'
import { oneProject, readLog } from './read-log.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const ourBot: OwnAgent = { name: 'OurBot', class: 'assistant', contains: ['OurBot/'], ranges: [], complete: false }
const monitor: OwnAgent = { ...ourBot, name: 'Monitor', class: 'not-ai', contains: [], ranges: ['198.51.100.0/24'] }
const verified: OwnAgent = { ...ourBot, ranges: ['192.0.2.0/24'] }

/** An address of the list of GPTBot. */
const gptBot = '20.171.206.9'

const line = (userAgent: string, { address = '203.0.113.9', path = '/guide' } = {}) =>
  `${address} - - [20/Sep/2026:10:11:12 +0000] "GET ${path} HTTP/1.1" 200 5120 "-" "${userAgent}"`

function read(log: string, agents: readonly OwnAgent[], more: Partial<typeof usualCounting> = {}, rules: 1 | 2 = 2) {
  const counting = { ...usualCounting, agents, ...more }
  return readLog(log, { projects: { ...oneProject, visitorRules: rules, counting } })
}

test.each<[string, string, OwnAgent, string, number]>([
  ['OURBOT/2.0', '203.0.113.9', ourBot, 'ai: OurBot', 0],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; OurBot/1)', '203.0.113.9', ourBot, 'ai: OurBot', 0],
  ['OurBotany', '203.0.113.9', ourBot, 'isbot: a name only', 0],
  ['GPTBot/1.3', gptBot, { ...ourBot, name: 'GPTBot', class: 'not-ai', contains: ['gptbot'] }, 'not-ai: GPTBot', 0],
  // Without ranges, the built-in addresses of the agent with this name still hold.
  ['GPTBot/1.3', '93.184.215.14', { ...ourBot, name: 'GPTBot', contains: ['gptbot'] }, 'impostor: GPTBot', 0],
  ['OurBot/1', '192.0.2.9', verified, 'ai: OurBot', 1],
  ['OurBot/1', '203.0.113.9', verified, 'ai: OurBot', 0],
  ['OurBot/1', '203.0.113.9', { ...verified, complete: true }, 'impostor: OurBot', 0],
  ['OurBot/1', '10.0.0.9', { ...verified, complete: true }, 'ai: OurBot', 0],
  [chrome, '192.0.2.9', verified, 'browser', 0],
  [chrome, '198.51.100.7', monitor, 'not-ai: Monitor', 0],
  [chrome, '198.51.100.7', { ...monitor, class: 'training' }, 'ai: Monitor by its address', 0],
  [chrome, '203.0.113.9', monitor, 'browser', 0],
])('%s from %s counts by an own agent as it says', (userAgent, address, agent, rule, views) => {
  for (const rules of [1, 2] as const) {
    const { tally } = read(line(userAgent, { address }), [agent], {}, rules)
    if (rules === 1 && rule === 'impostor: GPTBot') continue
    expect([...tally.rules.keys()]).toEqual([rule])
    expect(tally.verifiedViews).toBe(views)
  }
})

test('of two entries, the first one decides, and a name before an address', () => {
  const second: OwnAgent = { ...ourBot, name: 'Second', class: 'search', contains: ['Bot/'] }
  const rules = (...agents: OwnAgent[]) => [
    ...read(line('OurBot/1', { address: '198.51.100.7' }), agents).tally.rules.keys(),
  ]
  expect(rules(monitor, ourBot, second)).toEqual(['ai: OurBot'])
  expect(rules(second, ourBot)).toEqual(['ai: Second'])
  expect(rules(monitor, { ...monitor, name: 'Other' })).toEqual(['not-ai: Monitor'])
})

test('the agents of a project are asked before those of the log', () => {
  const agents = {
    source: 'agents.json',
    agents: [
      { ...ourBot, name: 'Other' },
      { ...ourBot, contains: ['curl'] },
    ],
  }
  const counting = { ...usualCounting, agents: [ourBot] }
  const log = `${line('OurBot/1')}\n${line('curl/8')}`
  expect([...readLog(log, { projects: { ...oneProject, counting }, agents }).tally.rules]).toEqual([['ai: OurBot', 2]])
  expect([...readLog(log, { agents }).tally.rules.keys()]).toEqual(['ai: OurBot', 'ai: Other'])
})

test('the class of an own agent decides whether it counts where AI means assistants', () => {
  const log = line('OurBot/1')
  expect(read(log, [ourBot], { ai: 'assistants' }).tally.views).toMatchObject({ ai: 1 })
  const { tally } = read(log, [{ ...ourBot, class: 'search' }], { ai: 'assistants' })
  expect([...tally.rules.keys()]).toEqual(['no assistant: OurBot'])
})

test('reports show the visitors of an own agent with its class, also for pages that failed and files for AI', () => {
  const log = [
    line('OurBot/1'),
    line('OurBot/1', { path: '/llms.txt' }),
    line('OurBot/1', { path: '/gone' }).replace(' 200 ', ' 404 '),
    line('GPTBot/1.3', { address: gptBot }),
  ]
  const retrained: OwnAgent = { ...ourBot, name: 'GPTBot', class: 'search', contains: ['GPTBot'] }
  const counter = new LabelCounter()
  for (const { path, visitor } of read(log.join('\n'), [ourBot, retrained]).entries) {
    if (!path.startsWith('/'))
      counter.add(listCountedLabels(path, findAgentUse), Float64Array.of(Number.parseInt(visitor, 16)))
  }
  const { agents, uses, readers, failed } = reportLabels(counter.count())
  expect(agents).toEqual([
    { agent: 'GPTBot', use: 'search', visitors: 1 },
    { agent: 'OurBot', use: 'assistant', visitors: 1 },
  ])
  expect(uses).toEqual([
    { use: 'assistant', agents: 1, visitors: 1 },
    { use: 'search', agents: 1, visitors: 1 },
  ])
  expect(readers).toEqual([{ file: 'llms.txt', agent: 'OurBot', use: 'assistant', visitors: 1 }])
  expect(failed.missing.pages).toMatchObject([
    { path: '/gone', agents: [{ agent: 'OurBot', use: 'assistant', visitors: 1 }] },
  ])
})

test('an agent with the class of the built-in one of its name has the same label', () => {
  const own: OwnAgent = { ...ourBot, name: 'GPTBot', class: 'training', contains: ['GPTBot'] }
  const labels = (agents: readonly OwnAgent[]) =>
    read(line('GPTBot/1.3', { address: gptBot }), agents).entries.map(({ path }) => path)
  expect(labels([own])).toEqual(labels([]))
})

test('explanations name the entry and what counts without it', () => {
  const agents = new OwnAgents([{ source: 'agents.json', agents: [monitor, { ...verified, complete: true }] }])
  const explain = (userAgent: string, address: string) => {
    const bytes = Buffer.from(address)
    const match = agents.find(userAgent, { bytes, start: 0, end: bytes.length })
    return [explainByOwn(userAgent, match?.entry).why, match && explainOwnVerdict(match, address)]
  }
  expect(explain('ourbot/1', '192.0.2.9')).toEqual([
    'An AI assistant: “OurBot/” is in entry 2 of agents.json (OurBot).',
    'Verified: 192.0.2.9 is in the ranges of entry 2 of agents.json.',
  ])
  expect(explain('ourbot/1', '203.0.113.9')[1]).toBe(
    'An impostor: 203.0.113.9 is not in the ranges of entry 2 of agents.json, which are complete.',
  )
  expect(explain('ourbot/1', '10.0.0.1')[1]).toBe(
    'Not verified: 10.0.0.1 is the address of a proxy or a private network.',
  )
  expect(explain('curl/8', '198.51.100.7')).toEqual([
    'A program, not AI: its address is in entry 1 of agents.json (Monitor).',
    '198.51.100.7 is in the ranges of entry 1 of agents.json, so the request is of Monitor, whatever its user agent says.',
  ])
  expect(explainByOwn('ourbot/1', agents.findNamed('ourbot/1')).notes).toEqual([
    'Without this entry, its rule is "isbot: bots".',
  ])
})

test('a view that counts as AI has the label of its entry, also after a view of the same visitor that does not', () => {
  const onDay = (day: string) => line('GPTBot/1.3', { address: '93.184.215.14' }).replace('20/Sep', day)
  const entry: OwnAgent = { ...ourBot, name: 'GPTBot', class: 'assistant', contains: ['gptbot'] }
  // An impostor is proven only while the list of addresses is new.
  const days = ['20/Sep', '20/Dec'].map(onDay)
  for (const lines of [days, days.toReversed()]) {
    const { entries } = readLog(lines.join('\n'), {
      now: Date.UTC(2026, 11, 21),
      projects: { ...oneProject, counting: { ...usualCounting, agents: [entry] } },
    })
    const labels = entries.map(({ path }) => path).filter(path => path.startsWith('agent:'))
    expect(labels).toEqual(['agent:GPTBot@assistant'])
  }
})
