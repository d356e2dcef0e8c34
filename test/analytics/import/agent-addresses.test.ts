import { expect, test } from 'vitest'
import { parseDay } from '../../../server/analytics/day.ts'
import { findKnownOwners, findOwner } from '../../../server/analytics/import/address-owners.ts'
import { AgentAddresses, explainVerdict } from '../../../server/analytics/import/agent-addresses.ts'
import { publishedOperators } from '../../../server/analytics/import/agent-ranges.ts'
import { oneProject, readLog } from './read-log.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const bot = (name: string) => `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${name}/1.2)`
const line = (address: string, userAgent: string, date = '20/Sep/2026') =>
  `${address} - - [${date}:10:11:12 +0000] "GET /guide HTTP/1.1" 200 5120 "-" "${userAgent}"`

/** Addresses of the list of each agent. */
const gptBot = '20.171.206.9'
const chatGptUser = '4.151.71.177'
const anthropic = '216.73.216.9'
const commonCrawl = '2600:1f28:365:8000::7'

test.each([
  [gptBot, bot('GPTBot'), { 'ai: GPTBot': 1 }, 1],
  // The crawlers of an operator may share addresses.
  [gptBot, bot('OAI-SearchBot'), { 'ai: OAI-SearchBot': 1 }, 1],
  [anthropic, bot('Claude-User'), { 'ai: Claude-User': 1 }, 1],
  [commonCrawl, 'CCBot/2.0', { 'ai: CCBot': 1 }, 1],
  [chatGptUser, chrome, { 'ai: ChatGPT-User by its address': 1 }, 1],
  [anthropic, 'node', { 'ai: Anthropic by its address': 1 }, 1],
  ['93.184.215.14', bot('GPTBot'), { 'impostor: GPTBot': 1 }, 0],
  [gptBot, bot('ClaudeBot'), { 'impostor: ClaudeBot': 1 }, 0],
  ['93.184.215.14', bot('Bytespider'), { 'ai: Bytespider': 1 }, 0],
  ['93.184.215.14', bot('MistralAI-User'), { 'ai: MistralAI-User': 1 }, 0],
  ['10.0.0.9', bot('GPTBot'), { 'ai: GPTBot': 1 }, 0],
  ['172.68.10.20', bot('GPTBot'), { 'ai: GPTBot': 1 }, 0],
  ['93.184.215.14', chrome, { browser: 1 }, 0],
  // Other programs share these addresses.
  ['93.184.215.14', bot('Googlebot'), { 'search-engine: Googlebot': 1 }, 0],
])('a view from %s as %s counts as %o', (address, userAgent, rules, verified) => {
  const { tally, views } = readLog(line(address, userAgent))
  expect(Object.fromEntries(tally.rules)).toEqual(rules)
  expect(tally.verifiedViews).toBe(verified)
  const [rule = ''] = Object.keys(rules)
  expect(views).toHaveLength(rule === 'browser' || rule.startsWith('ai') ? 1 : 0)
})

test('an impostor is only proven near the date of the list', () => {
  const ruleOn = (date: string) => [...readLog(line('93.184.215.14', bot('GPTBot'), date)).tally.rules.keys()]
  expect(ruleOn('20/Nov/2026')).toEqual(['impostor: GPTBot'])
  expect(ruleOn('21/Nov/2026')).toEqual(['ai: GPTBot'])
  expect(ruleOn('20/Apr/2026')).toEqual(['ai: GPTBot'])
})

test('a visitor is labelled by what the address proves, and impostors are listed', () => {
  const { entries } = readLog(
    [line(chatGptUser, chrome), line('93.184.215.14', bot('GPTBot')), line(gptBot, bot('GPTBot'))].join('\n'),
  )
  expect(entries.map(({ path, mask }) => [path, mask]).sort()).toEqual([
    ['/guide', 2],
    ['/guide', 2],
    ['agent:ChatGPT-User', 4],
    ['agent:GPTBot', 4],
    ['neither:impostor: GPTBot', 4],
  ])
})

test('a project with the rules 1 counts by names alone', () => {
  const log = [line(chatGptUser, chrome), line('93.184.215.14', bot('GPTBot'))].join('\n')
  const { tally } = readLog(log, { projects: { ...oneProject, visitorRules: 1 } })
  expect(Object.fromEntries(tally.rules)).toEqual({ browser: 1, 'ai: GPTBot': 1 })
})

test('behind a known proxy, the address that it sent is verified', () => {
  const log = [
    `${line('172.68.10.20', bot('GPTBot'))} "${gptBot}"`,
    `${line('10.0.0.1', bot('GPTBot'))} "93.184.215.14"`,
  ]
  const { tally } = readLog(log.join('\n'))
  expect(Object.fromEntries(tally.rules)).toEqual({ 'ai: GPTBot': 1, 'impostor: GPTBot': 1 })
})

test('each list has a date and addresses, and names agents that count as AI', () => {
  for (const { lists } of publishedOperators) {
    for (const { asOf, names, ranges } of lists) {
      expect(parseDay(asOf)).toBeDefined()
      expect(ranges.length).toBeGreaterThan(0)
      const rules = names.flatMap(name => [...readLog(line('10.0.0.1', bot(name))).tally.rules.keys()])
      expect(rules).toEqual(names.map(name => `ai: ${name}`))
    }
  }
})

test('each verdict is explained with the list that decided', () => {
  const addresses = new AgentAddresses()
  const day = parseDay('2026-09-20') as number
  const explain = (address: string, agent: string | undefined) => {
    const verdict = addresses.judge(agent, findOwner(findKnownOwners(), address), day)
    return verdict && explainVerdict(verdict, address, day)
  }
  const list = 'https://openai.com/gptbot.json of 2026-08-22'
  expect([
    explain(gptBot, 'GPTBot'),
    explain('93.184.215.14', 'GPTBot'),
    explain('10.0.0.1', 'GPTBot'),
    explain('93.184.215.14', 'Bytespider'),
    explain('93.184.215.14', undefined),
  ]).toEqual([
    `Verified: ${gptBot} belongs to OpenAI (${list}).`,
    `An impostor: OpenAI publishes all addresses of the agent, and 93.184.215.14 is none of them (${list}).`,
    'Not verified: 10.0.0.1 is the address of a proxy, a private network or an example.',
    'Its operator publishes no addresses that Quire knows, so the name is not verified.',
    undefined,
  ])
})
