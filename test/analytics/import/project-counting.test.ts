import { expect, test } from 'vitest'
import { type CountingSettings, usualCounting } from '../../../server/tenancy/project.ts'
import { oneProject, readLog } from './read-log.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

function line(path: string, { address = '203.0.113.9', userAgent = firefox, forwarded = '-' } = {}): string {
  return `${address} - - [20/Nov/2026:10:11:12 +0000] "GET ${path} HTTP/1.1" 200 512 "-" "${userAgent}" "${forwarded}"`
}

function read(lines: readonly string[], counting: Partial<CountingSettings>, visitorRules: 1 | 2 = 2) {
  const projects = { ...oneProject, visitorRules, counting: { ...usualCounting, ...counting } }
  return readLog(lines.join('\n'), { projects })
}

test('own addresses do not count, also behind a proxy', () => {
  const lines = [
    line('/a'),
    line('/a', { address: '198.51.100.7' }),
    line('/a', { address: '10.0.0.1', forwarded: '198.51.100.8' }),
    line('/a', { address: '10.0.0.1', forwarded: '203.0.113.10' }),
    line('/a', { address: '2001:db8:7:1::5' }),
  ]
  const { tally, views } = read(lines, { ownAddresses: ['198.51.100.0/24', '2001:db8:7::/48'] })
  expect(tally.filtered['own-address']).toBe(3)
  expect(tally.views.human).toBe(2)
  expect(new Set(views.map(({ visitor }) => visitor)).size).toBe(2)
})

test('paths that are no pages do not count, in any spelling', () => {
  const lines = [
    '/status',
    '/status/',
    '/status/index.html',
    '/internal/a',
    '/internal/',
    '/internals',
    '/statuses',
  ].map(path => line(path))
  const { tally, views } = read(lines, { notPages: ['/status', '/internal/*'] })
  expect(tally.filtered['no-page']).toBe(5)
  expect(views.map(({ path }) => path)).toEqual(['/internals', '/statuses'])
})

const agents = ['GPTBot/1.3', 'ChatGPT-User/1.0', 'claude-code/2.1', 'OAI-SearchBot/1.0', 'Bytespider'].map(
  userAgent => ({
    userAgent,
  }),
)

test.each([1, 2] as const)('by the rules %d, AI may mean assistants and coding agents only', rules => {
  const lines = [...agents.map(agent => line('/a', agent)), line('/a')]
  expect(read(lines, {}, rules).tally.views).toEqual({ human: 1, ai: 5, neither: 0 })
  const { tally, entries } = read(lines, { ai: 'assistants' }, rules)
  expect(tally.views).toEqual({ human: 1, ai: 2, neither: 3 })
  expect(
    entries
      .map(({ path }) => path)
      .filter(path => path.startsWith('neither'))
      .sort(),
  ).toEqual(['neither:no assistant: Bytespider', 'neither:no assistant: GPTBot', 'neither:no assistant: OAI-SearchBot'])
})

test('then Markdown that an unnamed program reads is AI, and that a search engine reads is not', () => {
  const lines = [
    line('/a.md', { userAgent: 'acme-reader/1.0' }),
    line('/a', { userAgent: 'acme-reader/1.0' }),
    line('/a.md', { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' }),
    line('/a.md', { userAgent: 'GPTBot/1.3' }),
  ]
  expect(read(lines, { ai: 'assistants' }).tally.views).toEqual({ human: 0, ai: 1, neither: 3 })
})

test('a setting that changes holds for the next lines', () => {
  const { reader } = read([line('/a')], {})
  reader.setProjects({ ...oneProject, counting: { ...usualCounting, ownAddresses: ['203.0.113.9'] } })
  reader.push(Buffer.from(`${line('/a')}\n`))
  reader.endFile()
  expect(reader.tally).toMatchObject({ lines: 2, views: { human: 1 }, filtered: { 'own-address': 1 } })
})
