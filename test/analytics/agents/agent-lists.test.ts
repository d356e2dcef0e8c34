import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AgentList, agentUses, nameOf } from '../../../server/analytics/agents/agent-list.ts'
import { aiLists, programLists } from '../../../server/analytics/agents/agent-lists.ts'
import ownAgents from '../../../server/analytics/agents/ai-agents.json' with { type: 'json' }
import { classify, decide, maxCharacters } from '../../../server/analytics/agents/classify.ts'
import { isbotList } from '../../../server/analytics/agents/program-words.ts'

const agentLists = [...aiLists, ...programLists]
const source = { name: 'some', asOf: '2026-11-21', url: 'https://example.com/', licence: 'MIT' }
const entry = (pattern: string) => ({ pattern, kind: 'neither' as const, label: 'bot' })

test('a list finds plain patterns and expressions, the longest name first', () => {
  const list = new AgentList(source, [entry('Bot'), entry('Botany\\/'), entry('^Cra[wv]l'), entry('a\\.b')], {
    wholeWords: false,
  })
  const find = (userAgent: string) => {
    const match = list.find(userAgent)
    return match && [match.entry.pattern, nameOf(match)]
  }
  expect(find('Botany/1.0')).toEqual(['Botany\\/', 'Botany'])
  expect(find('Bottom')).toEqual(['Bot', 'Bot'])
  expect(find('Cravl Bot')).toEqual(['^Cra[wv]l', 'Cravl'])
  expect(find('x a.b')).toEqual(['a\\.b', 'a.b'])
  expect(find('x acb')).toBeUndefined()
  expect(find('x Crawl')).toBeUndefined()
})

test('a whole word has no letter or digit before or after it', () => {
  const list = new AgentList(source, [entry('Devin'), entry('bedrockbot')], { wholeWords: true, ignoreCase: true })
  expect(list.find('devin/1.0')?.found).toBe('devin')
  expect(list.find('Devine Devin')?.found).toBe('Devin')
  expect(list.find('bedrockbot_0f3c')?.found).toBe('bedrockbot')
  expect(list.find('Devine xDevin Devin2')).toBeUndefined()
})

test('a list that ignores case finds plain patterns in any case', () => {
  const list = new AgentList(source, [entry('Bot'), entry('cra[wv]l')], { wholeWords: false, ignoreCase: true })
  expect(list.find('ROBOTS')?.entry.pattern).toBe('Bot')
  expect(list.find('CRAVL')?.entry.pattern).toBe('cra[wv]l')
})

test('a list without entries finds nothing', () => {
  expect(new AgentList(source, [], { wholeWords: true }).find('anything')).toBeUndefined()
})

test('the lists from packages have the installed version', () => {
  for (const { name, version } of [...agentLists.map(list => list.source), isbotList]) {
    if (name !== 'crawler-user-agents' && name !== 'isbot') continue
    const installed = JSON.parse(
      readFileSync(new URL(`../../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
    )
    expect({ name, version }).toEqual({ name, version: installed.version })
  }
})

test('the page about visitors names each list with its version and date', () => {
  const page = readFileSync(new URL('../../../server/docs/pages/visitors.md', import.meta.url), 'utf8')
  for (const { name, version, asOf } of [...agentLists.map(list => list.source), isbotList]) {
    const row = page.split('\n').find(line => line.startsWith('| ') && line.includes(name)) ?? ''
    expect({ name, row }).toEqual({ name, row: expect.stringContaining(`| ${asOf ?? 'empty'}`) })
    if (version && name !== 'ai.robots.txt') expect(row).toContain(version)
  }
})

test('every entry of the list of Quire has a source and an operator', () => {
  for (const { token, source, seen } of ownAgents.agents) {
    expect({ token, source, seen }).toEqual({
      token: expect.stringMatching(/^[\w.-]{4,}$/),
      source: expect.stringMatching(/^https:\/\/[^ ]+$/),
      seen: expect.stringMatching(/^(operator|quoted|directory)$/),
    })
  }
  const tokens = ownAgents.agents.map(({ token }) => token.toLowerCase())
  expect(new Set(tokens).size).toBe(tokens.length)
  expect(tokens).not.toContain('')
})

test('every AI agent has a use, and no other agent has one', () => {
  for (const { kind, use, pattern } of agentLists.flatMap(list => list.entries)) {
    expect({ pattern, use }).toEqual({
      pattern,
      use: kind === 'ai' ? expect.stringMatching(agentUses.join('|')) : undefined,
    })
  }
})

test('our list says the use of nearly every agent', () => {
  const known = ownAgents.agents.filter(({ use }) => use !== 'unknown')
  expect(known.length / ownAgents.agents.length).toBeGreaterThan(0.9)
})

/** Measures CPU time in ms. Returns the minimum of three runs, because other processes can only slow a run down. */
function cost(userAgent: string): number {
  const runs = [0, 1, 2].map(() => {
    const before = process.cpuUsage()
    decide(userAgent)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...runs)
}

test('no hostile user agent costs more than a few milliseconds', () => {
  const words = [
    ...[
      'a',
      ' ',
      '/',
      '(',
      ')',
      '1.',
      '-',
      '_',
      '; ',
      '\n',
      '+',
      '\\',
      'é',
      'Mozilla/5.0 (',
      '(Linux; Android 9; ',
      'Android 9; (bot) ',
      'Mozilla/5.0 (Linux; Android 9; a(bot)',
      'compatible ',
      'compatible; ',
      'http://',
    ],
    ...['bot', 'Spider', 'crawl ', 'google', '@a.', '[', 'A:', 'Chrome/1', '(KHTML, like Gecko) '],
    ...agentLists.flatMap(list => list.entries.map(({ pattern }) => pattern.replaceAll(/[\\^$?()[\]|]/g, ''))),
  ]
  const slow = words
    .map(word => {
      // The last character prevents a match, so that a backtracking expression tries every position.
      const userAgent = `${word.repeat(maxCharacters).slice(0, maxCharacters - 1)}\u0001`
      return { word, ms: cost(userAgent) }
    })
    .filter(({ ms }) => ms > 5)
  expect(words.length).toBeGreaterThan(1500)
  expect(slow).toEqual([])
})

test('a known user agent is not classified again', () => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  expect(classify(userAgent)).toBe(classify(userAgent))
  expect(Object.keys(classify(userAgent))).toEqual(['kind', 'rule'])
})
