import { expect, test } from 'vitest'
import { toCanonicalAddress, toCanonicalHostname } from '../../../server/analytics/formats/address.ts'
import { combined } from '../../../server/analytics/formats/combined.ts'
import { emptyLogLine } from '../../../server/analytics/formats/log-format.ts'
import { vhostCombined } from '../../../server/analytics/formats/vhost-combined.ts'
import { Clients } from '../../../server/analytics/import/clients.ts'
import fc from '../../support/fast-check.ts'
import { oneProject, readLog } from './read-log.ts'

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const rest = `[20/Nov/2026:10:11:12 +0000] "GET /guide HTTP/1.1" 200 12 "-" "${browser}"`
const parser = combined.open({})

/** Returns the client of a combined line; undefined when it has none. */
function findClientOf(text: string, clients = new Clients({})): string | undefined {
  const bytes = Buffer.from(text, 'latin1')
  const line = emptyLogLine()
  if (parser.parse(bytes, 0, bytes.length, line) !== 'request' || !clients.has(line, parser)) return undefined
  clients.find(line, parser, 1)
  return clients.bytes.toString('latin1', clients.start, clients.end)
}

test.each([
  ['203.0.113.9 - -', '203.0.113.9'],
  ['203.0.113.9:51234 - -', '203.0.113.9'],
  ['::ffff:203.0.113.9 - -', '203.0.113.9'],
  ['2001:db8::1 - -', '2001:db8::1'],
  ['2001:0DB8::0001 - -', '2001:db8::1'],
  ['[2001:db8::1]:443 - -', '2001:db8::1'],
  ['fe80::1%eth0 - -', 'fe80::1'],
  ['203.0.113.9 - Alice Miller', '203.0.113.9'],
  ['dsl-7.Example.net - -', 'dsl-7.example.net'],
  ['dsl-7.example.net - alice', 'dsl-7.example.net'],
  // The words before a line are not its client.
  ['web1.example.com 203.0.113.9 - -', undefined],
  ['web1.example.com 203.0.113.9 -', undefined],
  ['web1.example.com - 203.0.113.9', undefined],
  ['web1.example.com 2001:db8::1 -', undefined],
  ['web1.example.com nginx: 203.0.113.9 - -', undefined],
  ['docs.example.com:443 203.0.113.9 - -', undefined],
  ['Nov 20 10:11:12 web1 nginx: 203.0.113.9 - -', undefined],
  ['<134>1 2026-11-20T10:11:12Z web1 nginx - - - 203.0.113.9 - -', undefined],
  ['2026-11-20T10:11:12.123456789Z stdout F 203.0.113.9 - -', undefined],
  ['nginx-1  | 203.0.113.9 - -', undefined],
  ['203.0.113.9, 10.0.0.1 - -', undefined],
  ['unix: - -', undefined],
  ['- - -', undefined],
  ['localhost - -', undefined],
])('the client of a line that begins with %j is %s', (begin, want) => {
  expect(findClientOf(`${begin} ${rest}`)).toBe(want)
})

test('an address is found in the bytes as in a string, also from the cache', () => {
  const clients = new Clients({ ipv6Prefix: 64 })
  const word = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV6().map(text => text.toUpperCase()),
    fc.ipV4().map(text => `::ffff:${text}`),
    fc.string({ unit: fc.constantFrom(...'0123456789abcf:.%[]'), minLength: 1, maxLength: 20 }),
  )
  const around = fc.constantFrom(
    (text: string) => text,
    (text: string) => `${text}:443`,
    (text: string) => `[${text}]`,
    (text: string) => `[${text}]:443`,
    (text: string) => `${text}%eth0`,
  )
  fc.assert(
    fc.property(word, around, (word, wrap) => {
      const text = wrap(word)
      const want = toCanonicalAddress(text, 64) ?? toCanonicalHostname(text)
      for (let i = 0; i < 2; i++) expect([text, findClientOf(`${text} - - ${rest}`, clients)]).toEqual([text, want])
    }),
    { numRuns: 5000 },
  )
})

test('more addresses than the cache holds, with the same texts again after it was cleared', () => {
  const clients = new Clients({})
  for (let i = 0; i < 52_000; i++) {
    const text = `2001:DB8::${(i % 50_500).toString(16)}`
    const client = findClientOf(`${text} - - ${rest}`, clients)
    if (client !== text.toLowerCase().replace('::0', '::')) throw new Error(`${text} counts as ${client}`)
  }
})

test('all spellings of an address are one visitor, and a line without one is malformed', () => {
  const lines = ['2001:db8::1', '2001:DB8::1', '2001:db8:0:0:0:0:0:1', '[2001:db8::1]:443'].map(
    address => `${address} - - ${rest}`,
  )
  const { views, tally } = readLog([...lines, `nobody - - ${rest}`].join('\n'))
  expect(views).toHaveLength(1)
  expect(tally).toMatchObject({ lines: 5, views: { human: 4 }, malformed: { 'bad-address': 1, 'wrong-format': 0 } })
})

test('a JSON log with ports counts each address once', () => {
  const lines = ['203.0.113.9:50001', '203.0.113.9:50002', '[2001:db8::1]:443', '2001:DB8::1'].map(address =>
    JSON.stringify({
      ts: 1_763_633_472,
      status: 200,
      request: { remote_addr: address, method: 'GET', uri: '/guide', host: 'x', headers: { 'User-Agent': [browser] } },
    }),
  )
  expect(readLog(lines.join('\n')).views).toHaveLength(2)
})

test('by the rules 2, or with a prefix of 64 bits, the addresses of a subscriber are one visitor', () => {
  const lines = ['2001:db8:1:2::1', '2001:db8:1:2:a:b:c:d', '2001:db8:1:3::1'].map(address => `${address} - - ${rest}`)
  const old = { ...oneProject, visitorRules: 1 } as const
  expect(readLog(lines.join('\n')).views).toHaveLength(2)
  expect(readLog(lines.join('\n'), { ipv6Prefix: 128 }).views).toHaveLength(3)
  expect(readLog(lines.join('\n'), { projects: old }).views).toHaveLength(3)
  expect(readLog(lines.join('\n'), { projects: old, ipv6Prefix: 64 }).views).toHaveLength(2)
})

test('in one log, each project has its own rules', () => {
  const lines = ['2001:db8:1:2::1', '10.0.0.1'].flatMap(address =>
    ['new', 'old'].map(host => `${host}.example.com ${address} - - ${rest} "198.51.100.7"`),
  )
  const projects = new Map([
    ['new.example.com', { ...oneProject, id: 'prj_new' }],
    ['old.example.com', { ...oneProject, id: 'prj_old', visitorRules: 1 as const }],
  ])
  const { views } = readLog(lines.join('\n'), { projects, format: vhostCombined })
  const visitorOf = (address: string) => readLog(`${address} - - ${rest}`, { ipv6Prefix: 128 }).views[0]?.visitor
  expect(views.map(({ project, visitor }) => [project, visitor])).toEqual([
    ['prj_new', visitorOf('2001:db8:1:2::')],
    ['prj_new', visitorOf('198.51.100.7')],
    ['prj_old', visitorOf('2001:db8:1:2::1')],
    ['prj_old', visitorOf('10.0.0.1')],
  ])
})

test('the peer needs no address when the client field has one', () => {
  const lines = [`unix: - - ${rest} "203.0.113.9"`, `unix: - - ${rest} "-"`]
  const { views, tally } = readLog(lines.join('\n'), { clientField: 'last', format: combined })
  expect(views).toHaveLength(1)
  expect(tally.malformed['bad-address']).toBe(1)
  expect(views).toEqual(readLog(`203.0.113.9 - - ${rest}`).views)
})

test.each([
  ['203.0.113.9', 'ebef8feb768d3b98c87296722d3dcb76'],
  ['2001:db8::1', '498e1070871798145f7cc23e1c2705fb'],
])('the hash of %s is the one of earlier versions', (address, hash) => {
  const projects = { ...oneProject, visitorRules: 1 } as const
  expect(readLog(`${address} - - ${rest}`, { projects }).views).toMatchObject([{ visitor: hash }])
})
