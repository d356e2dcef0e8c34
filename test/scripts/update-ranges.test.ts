import { expect, test } from 'vitest'
import { updateOperators, updateRanges } from '../../scripts/agents/ranges.ts'

const day = '2026-11-27'
const answers: Record<string, unknown> = {
  'https://agent.example.com/bots.json': {
    creationTime: '2026-11-20T00:00:00',
    prefixes: [{ ipv4Prefix: '203.0.113.0/24' }, { ipv6Prefix: '2001:db8::/48' }, { ipv4Prefix: '203.0.113.0/24' }],
  },
  'https://cloud.example.com/ranges.json': {
    prefixes: [
      { ip_prefix: '198.51.100.0/24', service: 'CDN' },
      { ip_prefix: '192.0.2.0/24', service: 'OTHER' },
    ],
  },
  'https://empty.example.com/': { message: 'moved to https://elsewhere.example.com/' },
}

async function fetcher(url: string): Promise<Response> {
  return url in answers ? Response.json(answers[url]) : new Response('', { status: 404 })
}

const ofAgent = (name: string, source: string) => ({
  names: [name],
  source,
  asOf: '2026-08-22',
  complete: true,
  ranges: ['203.0.113.0/24', '192.0.2.0/24'],
})

test('lists are fetched with their ranges and the date, and those that fail stay', async () => {
  const [good, missing, empty] = [
    ofAgent('Bot', 'https://agent.example.com/bots.json'),
    ofAgent('Missing', 'https://agent.example.com/missing.json'),
    ofAgent('Empty', 'https://empty.example.com/'),
  ]
  const operators = [
    { operator: 'A', lists: [good, missing] },
    { operator: 'B', lists: [empty] },
  ]
  expect(await updateOperators(operators, { fetcher, day })).toEqual({
    updates: [
      { name: 'Bot', ranges: 2, added: 1, removed: 1 },
      { name: 'Missing', ranges: 2, added: 0, removed: 0, problem: `${missing.source}: it answered 404` },
      { name: 'Empty', ranges: 2, added: 0, removed: 0, problem: `${empty.source}: it has no range` },
    ],
    operators: [
      { operator: 'A', lists: [{ ...good, asOf: day, ranges: ['203.0.113.0/24', '2001:db8::/48'] }, missing] },
      { operator: 'B', lists: [empty] },
    ],
  })
})

test('of a list with several services, one is taken', async () => {
  const list = { source: 'https://cloud.example.com/ranges.json', asOf: null, ranges: [] }
  const { lists } = await updateRanges([{ name: 'CDN', list, service: 'CDN' }], { fetcher, day })
  expect(lists).toEqual([{ ...list, asOf: day, ranges: ['198.51.100.0/24'] }])
})
