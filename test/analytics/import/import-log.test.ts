import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { parseDay } from '../../../server/analytics/day.ts'
import { importLog, recordViews } from '../../../server/analytics/import/import-log.ts'
import { ImportTally } from '../../../server/analytics/import/import-tally.ts'
import { LogReader } from '../../../server/analytics/import/log-reader.ts'
import { asAi, asLabel, type PageView, type ViewBatch } from '../../../server/analytics/view-batch.ts'
import { fixedKeys } from './read-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const now = Date.UTC(2026, 10, 20, 12)
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const gptBot = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'

function line({
  address = '10.0.0.1',
  date = '20/Nov/2026:10:11:12 +0000',
  request = 'GET /guide HTTP/1.1',
  status = 200,
  userAgent = browser,
} = {}): string {
  return `${address} - - [${date}] "${request}" ${status} 12 "-" "${userAgent}"`
}

async function importText(text: string | Buffer) {
  const file = join(folder, 'access.log')
  writeFileSync(file, text)
  return importFile(file)
}

async function importFile(file: string) {
  const views: PageView[] = []
  const visits = {
    recordBatch(_: string, batch: ViewBatch) {
      views.push(...toViews(batch))
      return { newVisitorDays: 0, newViews: 0, tooOldViews: 0 }
    },
  }
  const projects = { id: 'prj_1', visitorSaltRotation: 'never', visitorRules: 2 } as const
  const reader = new LogReader({ projects, keys: fixedKeys, now, viewsPerBatch: 1000 })
  const imported = await importLog({ file, reader, visits })
  await recordViews(reader, visits)
  return { tally: reader.tally, views, problem: imported.problem, imported }
}

function toViews({ length, visitors, paths, visitorOf, pathOf, days, masks }: ViewBatch): PageView[] {
  const isView = (i: number) => masks[i] !== asLabel
  return [...Array(length).keys()].filter(isView).map(i => ({
    visitor: visitors.subarray((visitorOf[i] as number) * 16, (visitorOf[i] as number) * 16 + 16),
    path: paths[pathOf[i] as number] as string,
    day: days[i] as number,
    kind: ((masks[i] as number) & asAi) === 0 ? 'human' : 'ai',
  }))
}

const utf8 = (text: string) => Buffer.from(text)

test.each([
  ['a page', line(), 'human'],
  ['a page that has not changed', line({ status: 304 }), 'human'],
  ['part of a page', line({ status: 206 }), 'human'],
  ['a page over HTTP/0.9', line({ request: 'GET /guide' }), 'human'],
  ['an AI crawler', line({ userAgent: gptBot }), 'ai'],
  ['a Markdown view by a browser', line({ request: 'GET /guide.md HTTP/1.1' }), 'human'],
  ['a Markdown view by an AI crawler', line({ request: 'GET /guide.md HTTP/1.1', userAgent: gptBot }), 'ai'],
])('%s is one view of a visitor', async (_, text, kind) => {
  const { tally, views } = await importText(`${text}\n`)
  expect(views).toEqual([{ path: '/guide', day: parseDay('2026-11-20'), visitor: expect.any(Uint8Array), kind }])
  expect(tally).toMatchObject({ lines: 1, views: { human: 0, ai: 0, neither: 0, [kind]: 1 } })
})

test.each([
  ['a classic bot', line({ userAgent: googlebot }), { views: { neither: 1 } }],
  ['no user agent', line({ userAgent: '-' }), { views: { neither: 1 } }],
  [
    'Markdown for a search engine',
    line({ request: 'GET /guide.md HTTP/1.1', userAgent: googlebot }),
    { views: { neither: 1 } },
  ],
  [
    'Markdown for a library',
    line({ request: 'GET /guide.md HTTP/1.1', userAgent: 'curl/8.5.0' }),
    { views: { neither: 1 } },
  ],
  [
    'Markdown for an unknown program',
    line({ request: 'GET /guide.md HTTP/1.1', userAgent: 'SomeBot/1' }),
    { views: { neither: 1 } },
  ],
  ['a HEAD', line({ request: 'HEAD /guide HTTP/1.1' }), { filtered: { method: 1 } }],
  ['a POST', line({ request: 'POST /guide HTTP/1.1' }), { filtered: { method: 1 } }],
  ['a TLS handshake', line({ request: '\\x16\\x03\\x01', status: 400 }), { filtered: { method: 1 } }],
  ['no request', line({ request: '-', status: 408 }), { filtered: { method: 1 } }],
  ['a redirect', line({ status: 301 }), { filtered: { status: 1 } }],
  ['an error', line({ status: 404 }), { filtered: { status: 1 } }],
  ['a script', line({ request: 'GET /app.js HTTP/1.1' }), { filtered: { asset: 1 } }],
  ['a query that names a page', line({ request: 'GET /app.js?/guide HTTP/1.1' }), { filtered: { asset: 1 } }],
  ['robots.txt', line({ request: 'GET /robots.txt HTTP/1.1' }), { filtered: { 'machine-file': 1 } }],
  ['a prefetch', line({ request: 'GET /guide?_rsc=1a2b3 HTTP/1.1' }), { filtered: { 'router-data': 1 } }],
  ['another format', '{"path":"/guide"}', { malformed: { 'wrong-format': 1 } }],
  ['bytes that are not text', Buffer.from([0x16, 3, 1, 0, 255, 254, 0]), { malformed: { 'wrong-format': 1 } }],
  ['a day that does not exist', line({ date: '30/Feb/2026:10:11:12 +0000' }), { malformed: { 'bad-date': 1 } }],
  ['the year 1999', line({ date: '31/Dec/1999:23:59:59 +0000' }), { malformed: { 'bad-date': 1 } }],
  ['more than a day ahead', line({ date: '21/Nov/2026:12:00:01 +0000' }), { malformed: { 'bad-date': 1 } }],
  ['a NUL in the path', line({ request: 'GET /a\\x00b HTTP/1.1' }), { malformed: { 'bad-path': 1 } }],
  ['a path over 2,048 bytes', line({ request: `GET /${'a'.repeat(2048)} HTTP/1.1` }), { malformed: { 'bad-path': 1 } }],
  ['a line over 64 KiB', line({ userAgent: 'a'.repeat(70_000) }), { malformed: { 'too-long': 1 } }],
])('%s is not a view, counted as %j', async (_, given, want) => {
  const { tally, views } = await importText(Buffer.concat([Buffer.from(given), utf8('\n')]))
  expect(views).toEqual([])
  const none = new ImportTally()
  const { lines, filtered, malformed } = tally
  expect({ lines, views: tally.views, filtered, malformed }).toEqual({
    lines: 1,
    views: { ...none.views, ...('views' in want && want.views) },
    filtered: { ...none.filtered, ...('filtered' in want && want.filtered) },
    malformed: { ...none.malformed, ...('malformed' in want && want.malformed) },
  })
})

test('dates up to a day in the future count, because a server clock may be wrong', async () => {
  const { tally } = await importText(line({ date: '21/Nov/2026:12:00:00 +0000' }))
  expect(tally.views.human).toBe(1)
})

test('the day of a view is its UTC day', async () => {
  const { views, tally } = await importText(
    [
      line({ date: '20/Nov/2026:00:30:00 +0100' }),
      line({ address: '10.0.0.2', date: '18/Nov/2026:23:30:00 -0100' }),
    ].join('\n'),
  )
  expect(views.map(({ day }) => day)).toEqual([parseDay('2026-11-19'), parseDay('2026-11-19')])
  expect([tally.firstDay, tally.lastDay]).toEqual([parseDay('2026-11-19'), parseDay('2026-11-19')])
})

test('malformed lines do not affect the lines around them', async () => {
  const bad = ['', '\0\xff\0', 'x'.repeat(200_000), line().slice(0, 90), '"'.repeat(1000), '['.repeat(1000)]
  const { tally, views } = await importText(
    `${bad.map((text, i) => `${text}\n${line({ address: `10.0.0.${i}` })}\r\n`).join('')}`,
  )
  expect(views.length).toBe(bad.length)
  expect(tally.lines).toBe(bad.length * 2)
})

test('a truncated gzip file is imported as far as possible, without its last partial line, and reported', async () => {
  const all = Array.from({ length: 5000 }, (_, i) => line({ address: `10.1.${i >> 8}.${i & 255}` }))
  const gz = gzipSync(all.join('\n'))
  const { tally, views, problem } = await importText(gz.subarray(0, gz.length / 2))
  expect(problem).toMatch(/is truncated/)
  expect(views.length).toBeGreaterThan(1000)
  expect(views.length).toBeLessThan(5000)
  expect(tally.lines).toBe(views.length)
})

test('a line of 1 GB is skipped without being buffered', async () => {
  const file = join(folder, 'long.log')
  writeFileSync(file, '')
  // Sparse: it reads as zeros.
  truncateSync(file, 1e9)
  appendFileSync(file, `\n${line()}\n`)
  const before = process.memoryUsage().rss
  const { tally } = await importFile(file)
  expect(tally).toMatchObject({ lines: 2, views: { human: 1 }, malformed: { 'too-long': 1 } })
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6)
})

test('a JSON array is one line for each of its records, and a cut one is read up to the damage', async () => {
  const records = JSON.stringify(
    [1, 2, 3].map(host => ({ log: `${line({ address: `10.0.0.${host}` })}\n` })),
    null,
    2,
  )
  const whole = await importText(gzipSync(records))
  expect(whole.imported).toMatchObject({ lines: 3, format: 'combined', envelope: 'record', problem: undefined })
  expect(whole.views.length).toBe(3)
  const cut = await importText(records.slice(0, -5))
  expect(cut.imported).toMatchObject({ lines: 2, problem: expect.stringContaining('The JSON is cut off') })
  expect(cut.views.length).toBe(2)
})
