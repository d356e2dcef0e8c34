import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSuspicions, type SuspicionCode } from '../../../server/analytics/import/suspicions.ts'
import { generateAccessLog } from '../../../server/commands/demo/access-log.ts'
import { readLog } from './read-log.ts'

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

interface Line {
  address?: string
  date?: string
  path?: string
  status?: number
  userAgent?: string
}

function toLine({
  address = '203.0.113.9',
  date = '20/Nov/2026:10:11:12 +0000',
  path = '/guide',
  status = 200,
  userAgent = browser,
}: Line = {}): string {
  return `${address} - - [${date}] "GET ${path} HTTP/1.1" ${status} 12 "-" "${userAgent}"`
}

function toAddress(i: number): string {
  return `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`
}

/** Lines of different browsers, through load balancers at `10.0.0.1` and so on. */
function toBalanced(visitors: number, balancers: number): string {
  return toLog(visitors, i =>
    toLine({ address: `10.0.0.${1 + (i % balancers)}`, userAgent: browser.replaceAll('145', `${100 + i}`) }),
  )
}

/** A line for each number up to `count`. */
function toLog(count: number, toLineOf: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => toLineOf(i)).join('\n')
}

function findCodes(log: string | Buffer, isGrowing = false): SuspicionCode[] {
  return findSuspicions(readLog(log).reader.evidence, isGrowing).map(({ code }) => code)
}

const caddyLine = readFileSync(join(import.meta.dirname, '../formats/samples/caddy.jsonl'), 'utf8').split('\n')[0] ?? ''
/** A normal log of this many lines: three views for each visitor. */
const normal = (count: number) => toLog(count, i => toLine({ address: toAddress(Math.floor(i / 3)) }))
const inSyslog = (i: number) => `Nov 20 10:11:12 web1 nginx: ${toLine({ address: toAddress(Math.floor(i / 3)) })}`
const garbage = (count: number) => toLog(count, i => `starting worker ${i}`)
const cloudfrontHeader = '#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)\n'
const iisLine = '2026-11-20 10:11:12 10.0.0.5 GET /guide - 443 - 203.0.113.9 Mozilla/5.0 - 200 0 0 15'

/** A log that must be suspected, and one just below the threshold. */
const cases: [SuspicionCode, string | Buffer, string | Buffer][] = [
  [
    'utf-16',
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(normal(10), 'utf16le')]),
    Buffer.from(`\ufeff${normal(10)}`),
  ],
  ['mostly-malformed', `${normal(49)}\n${garbage(50)}`, `${normal(50)}\n${garbage(50)}`],
  ['mostly-malformed', toLog(3, i => toLine({ address: `nginx-${i}` })), normal(3)],
  [
    'unread-header',
    `${cloudfrontHeader}${iisLine}\n${iisLine}`,
    `${cloudfrontHeader}2026-11-20\t10:11:12\t203.0.113.9\tGET\t/guide\t200\t${browser.replaceAll(' ', '%20')}`,
  ],
  ['unclear-format', `${garbage(60)}\n${normal(100)}`, `${garbage(50)}\n${normal(100)}`],
  ['mixed-formats', `${normal(89)}\n${toLog(11, () => caddyLine)}`, `${normal(91)}\n${toLog(9, () => caddyLine)}`],
  [
    'no-page-view',
    toLog(20, i => toLine({ path: `/${i}.png` })),
    `${toLog(19, i => toLine({ path: `/${i}.png` }))}\n${toLine()}`,
  ],
  ['no-page-view', toLog(3, () => toLine({ status: 404 })), cloudfrontHeader],
  [
    'no-user-agent',
    toLog(10, i => toLine({ address: toAddress(i), userAgent: '-' })),
    `${toLog(10, i => toLine({ address: toAddress(i), userAgent: '-' }))}\n${toLine()}`,
  ],
  ['no-user-agent', toLog(10, () => toLine({ userAgent: '' })), toLog(9, () => toLine({ userAgent: '' }))],
  [
    'no-visitor',
    toLog(50, i => toLine({ address: toAddress(i), userAgent: 'https://www.example.com/' })),
    `${toLog(50, i => toLine({ address: toAddress(i), userAgent: 'https://www.example.com/' }))}\n${toLine()}`,
  ],
  [
    'no-visitor',
    toLog(5, i => toLine({ address: toAddress(i), userAgent: `https://www.example.com/${i}` })),
    toLog(4, i => toLine({ address: toAddress(i), userAgent: `https://www.example.com/${i}` })),
  ],
  [
    'no-visitor',
    toLog(50, i => toLine({ address: toAddress(i), userAgent: i === 0 ? 'curl/8.5.0' : 'https://www.example.com/' })),
    toLog(49, i => toLine({ address: toAddress(i), userAgent: i === 0 ? 'curl/8.5.0' : 'https://www.example.com/' })),
  ],
  ['mixed-formats', `${normal(200)}\n${toLog(10, () => caddyLine)}`, `${normal(200)}\n${toLog(9, () => caddyLine)}`],
  ['mixed-formats', `${normal(200)}\n${toLog(30, inSyslog)}`, `${normal(200)}\n${garbage(30)}`],
  [
    'mixed-formats',
    `${toLog(200, inSyslog)}\n${toLog(30, i => toLine({ address: toAddress(i) }))}`,
    `${toLog(200, inSyslog)}\n${garbage(30)}`,
  ],
  [
    'all-new-visitors',
    toLog(1000, i => toLine({ address: toAddress(i) })),
    toLog(999, i => toLine({ address: toAddress(i) })),
  ],
  [
    'all-new-visitors',
    toLog(2000, i => toLine({ address: toAddress(i % 1980) })),
    toLog(2000, i => toLine({ address: toAddress(i % 1979) })),
  ],
  [
    'one-address',
    toLog(1000, i => toLine({ path: `/${i}`, address: i % 40 === 0 ? toAddress(i) : '10.9.9.9' })),
    toLog(1000, i => toLine({ path: `/${i}`, address: i % 25 === 0 ? toAddress(i) : '10.9.9.9' })),
  ],
  ['proxies', toBalanced(20, 1), toBalanced(19, 1)],
  [
    'proxies',
    toLog(900, i => toLine({ path: `/${i}`, address: '10.0.0.1', userAgent: `${browser} ${i % 5}` })),
    toLog(900, i => toLine({ path: `/${i}`, address: '10.0.0.1', userAgent: `${browser} ${i % 4}` })),
  ],
  [
    'proxies',
    toLog(20, i => toLine({ address: `172.64.0.${i}` })),
    toLog(19, i => toLine({ address: `172.64.0.${i}` })),
  ],
  ['proxies', toBalanced(30, 3), toBalanced(30, 7)],
  [
    'proxies',
    `${toBalanced(30, 3)}\n${toLog(30, i => toLine({ address: `203.0.113.${i}` }))}`,
    `${toBalanced(30, 3)}\n${toLog(31, i => toLine({ address: `203.0.113.${i}` }))}`,
  ],
  ['one-address', toLog(1000, i => toLine({ path: `/${i}` })), toLog(999, i => toLine({ path: `/${i}` }))],
  [
    'date-jump',
    [toLine({ date: '20/Nov/2025:10:11:12 +0000' }), toLine({ date: '21/Nov/2026:10:11:13 +0000' })].join('\n'),
    [toLine({ date: '20/Nov/2025:10:11:12 +0000' }), toLine({ date: '21/Nov/2026:10:11:12 +0000' })].join('\n'),
  ],
  [
    'date-jump',
    [toLine(), toLine({ date: '20/Nov/2019:10:11:12 +0000' }), toLine()].join('\n'),
    [toLine(), toLine({ date: '20/Dec/2025:10:11:12 +0000' }), toLine()].join('\n'),
  ],
]

test.each(cases)('case %#: %s is suspected, and nothing just below the threshold', (code, log, nearMiss) => {
  expect(findCodes(log)).toEqual([code])
  expect(findCodes(nearMiss)).toEqual([])
})

test('each message is a sentence that quotes nothing of the log', () => {
  for (const [code, log] of cases) {
    const { message = '' } = findSuspicions(readLog(log).reader.evidence).find(found => found.code === code) ?? {}
    expect(message).toMatch(/^[A-Z\d].*[^.]\.?( [A-Z].*[.-]?)?$/)
    expect(message).not.toMatch(/203\.0|10\.9\.9|guide|Mozilla|worker|undefined|NaN|172\.64/)
  }
})

test('a log that grows is judged from 100 lines on, and without a page view from 1,000 lines on', () => {
  expect(findCodes(garbage(99), true)).toEqual([])
  expect(findCodes(garbage(100), true)).toEqual(['mostly-malformed'])
  const scan = (count: number) => toLog(count, () => toLine({ status: 404 }))
  expect(findCodes(scan(999), true)).toEqual([])
  expect(findCodes(scan(1000), true)).toEqual(['no-page-view'])
})

test('an empty log is not suspected', () => {
  expect(findCodes('')).toEqual([])
})

test.each([1, 7, 100, 3000, 50_000])('a demo log of %d lines is not suspected', lines => {
  const log = [...generateAccessLog({ seed: 11, lines, from: 20_700, to: 20_760, paths: ['/', '/a', '/b', '/c/d'] })]
  const codes = findCodes(log.join('\n'))
  // One line of the demo may be an asset.
  expect(lines === 1 ? [] : codes).toEqual([])
})

test('each log of a reader is judged by its own lines', () => {
  const { reader } = readLog(garbage(10))
  expect(findSuspicions(reader.evidence)).toHaveLength(1)
  reader.startFile()
  reader.push(Buffer.from(normal(10)))
  reader.endFile()
  expect(findSuspicions(reader.evidence)).toEqual([])
  expect(reader.evidence).toMatchObject({ lines: 10, views: 10, malformed: { 'wrong-format': 0 } })
})

test.each([
  [10, '-', ['no-client-field']],
  [9, '-', []],
  [10, '198.51.100.1', []],
] as const)('%d views whose client field is %s are suspected as %s', (count, client, want) => {
  const log = toLog(count, i => `${toLine({ address: toAddress(i) })} "${client}"`)
  const { reader } = readLog(log, { clientField: '1' })
  expect(findSuspicions(reader.evidence).map(({ code }) => code)).toEqual(want)
})

test('thousands of readers with private addresses are no proxies', () => {
  expect(findCodes(toLog(8000, i => toLine({ address: toAddress(i) })))).toEqual(['all-new-visitors'])
})
