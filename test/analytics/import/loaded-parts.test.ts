import { expect, test } from 'vitest'
import { toDay } from '../../../server/analytics/day.ts'
import { LogReader } from '../../../server/analytics/import/log-reader.ts'
import { fixedKeys, oneProject, readLog, takeEntries } from './read-log.ts'

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'

interface Request {
  path: string
  /** `hh:mm:ss` on November 19; `20T` before it = November 20. */
  at?: string
  address?: string
  userAgent?: string
  status?: number
}

function line({ path, at = '10:00:00', address = '192.0.2.1', userAgent = browser, status = 200 }: Request): string {
  const [day, time] = at.startsWith('20T') ? ['20', at.slice(3)] : ['19', at]
  return `${address} - - [${day}/Nov/2026:${time} +0000] "GET ${path} HTTP/1.1" ${status} 12 "-" "${userAgent}"\n`
}

/** Returns the days of November on which the visitors of a log loaded parts. */
const listLoaded = (...requests: Request[]) =>
  readLog(requests.map(line).join(''))
    .entries.filter(({ path }) => path === 'loaded:')
    .map(({ day }) => day - toDay(Date.UTC(2026, 9, 31)))

const page = { path: '/guide' }

test.each<[string, Request[], number[]]>([
  ['a style sheet after the page', [page, { path: '/a.css', at: '10:00:01' }], [19]],
  ['a script before the page', [{ path: '/a.js?v=1' }, page], [19]],
  ['a font within five minutes', [page, { path: '/a.woff2', at: '10:05:00' }], [19]],
  ['a picture that the browser has in its cache', [page, { path: '/img/a.png', status: 304 }], [19]],
  ['a picture after five minutes', [page, { path: '/a.png', at: '10:05:01' }], []],
  ['a picture that does not exist', [page, { path: '/a.png', status: 404 }], []],
  ['a file that people download', [page, { path: '/a.zip' }], []],
  ['a manifest', [page, { path: '/a.webmanifest' }], []],
  ['a picture without a page', [{ path: '/a.png' }], []],
  ['a page without parts', [page], []],
  ['another address', [page, { path: '/a.css', address: '192.0.2.2' }], []],
  ['another browser of the address', [page, { path: '/a.css', userAgent: `${browser} Edg/1` }], []],
  ['an AI agent', [page, { path: '/a.css' }].map(request => ({ ...request, userAgent: 'GPTBot/1.2' })), []],
  ['a program', [page, { path: '/a.css' }].map(request => ({ ...request, userAgent: 'curl/8' })), []],
  [
    'a page before midnight',
    [
      { ...page, at: '23:59:59' },
      { path: '/a.css', at: '20T00:00:01' },
    ],
    [19],
  ],
  [
    'a page minutes after parts that nobody viewed',
    [
      { path: '/a.css' },
      { path: '/b.css', at: '10:04:00' },
      { path: '/c.css', at: '10:04:30' },
      { ...page, at: '10:08:00' },
    ],
    [19],
  ],
  [
    'both days, of a visitor that comes again',
    [page, { path: '/a.css' }, { ...page, at: '20T08:00:00' }, { path: '/a.css', at: '20T08:00:00' }],
    [19, 20],
  ],
])('with %s, a page counts as loaded or not', (_, requests, want) => {
  expect(listLoaded(...requests)).toEqual(want)
})

test('a part counts when the page was in an earlier batch', () => {
  const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now: Date.UTC(2026, 10, 20, 12) })
  reader.push(Buffer.from(line(page)))
  reader.countWaiting()
  expect(takeEntries(reader).map(({ path }) => path)).toEqual(['/guide'])
  reader.push(Buffer.from(line({ path: '/a.css' })))
  expect(takeEntries(reader).map(({ path }) => path)).toEqual(['loaded:'])
})

test('each of many visitors counts once', () => {
  const requests = Array.from({ length: 9000 }, (_, i) => ({ address: `192.${i >> 8}.2.${i & 255}` }))
  expect(
    listLoaded(
      ...requests.map(request => ({ ...request, ...page })),
      ...requests.flatMap(request => [
        { ...request, path: '/a.css' },
        { ...request, path: '/a.js' },
      ]),
    ),
  ).toHaveLength(9000)
})

test('the clients behind a proxy are told apart by what it sent', () => {
  const lines = ['203.0.113.7', '203.0.113.8', '203.0.113.9'].flatMap(client =>
    ['/guide', '/a.css'].map(path => `${line({ path, address: '172.68.10.20' }).trim()} "${client}"\n`),
  )
  const { entries } = readLog(lines.join(''))
  expect(entries.filter(({ path }) => path === 'loaded:')).toHaveLength(3)
})
