import { expect, test } from 'vitest'
import { createJsonFormat, parseJsonFields } from '../../../server/analytics/formats/json.ts'
import { LogReader } from '../../../server/analytics/import/log-reader.ts'
import type { VisitedProject } from '../../../server/analytics/import/visited-projects.ts'
import type { VisitorKeys } from '../../../server/analytics/visitor-keys.ts'
import { generateAccessLog } from '../../../server/commands/demo/access-log.ts'
import fc from '../../support/fast-check.ts'
import { fixedKeys, oneProject, type ReadView, readLog, takeEntries, takeViews } from './read-log.ts'

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

function line({ address = '10.0.0.1', path = '/guide', userAgent = browser, day = 20, referrer = '-' } = {}): string {
  return `${address} - - [${day}/Nov/2026:10:11:12 +0000] "GET ${path} HTTP/1.1" 200 12 "${referrer}" "${userAgent}"`
}

const key = ({ project, path, day, visitor }: ReadView) => `${project} ${path} ${day} ${visitor}`

/** Returns the views as a set: a view that is in two batches counts once. */
function toSet(views: readonly ReadView[]): Map<string, number> {
  const set = new Map<string, number>()
  for (const view of views) set.set(key(view), (set.get(key(view)) ?? 0) | view.mask)
  return new Map([...set].sort())
}

test('a repeated view is in a batch once, with its Markdown folded into the page', () => {
  const { entries, tally } = readLog(
    [line(), line({ path: '/guide/' }), line({ path: '/guide.md' }), line({ day: 19 }), line()].join('\n'),
  )
  expect(entries.map(({ path, day, mask }) => [path, day, mask])).toEqual([
    ['/guide', 20_777, 1],
    ['/guide', 20_776, 1],
    ['file:human:Markdown', 20_777, 4],
  ])
  expect(new Set(entries.map(({ visitor }) => visitor.slice(0, 12))).size).toBe(1)
  expect(tally.views).toEqual({ human: 5, ai: 0, neither: 0 })
})

test.each([
  { program: browser, path: '/guide.md', kind: 'human' },
  { program: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', path: '/guide.md' },
  { program: 'curl/8.5.0', path: '/guide.md' },
  { program: 'curl/8.5.0', path: '/guide', accept: 'text/markdown' },
  { program: 'GPTBot/1.3', path: '/guide.md', kind: 'ai' },
  { program: 'GPTBot/1.3', path: '/guide', kind: 'ai' },
  { program: '', path: '/guide.md', withSetting: 'ai' },
  { program: 'SomeBot/1.0', path: '/guide.md', withSetting: 'ai' },
  { program: 'SomeBot/1.0', path: '/guide' },
  { program: 'SomeBot/1.0', path: '/guide', accept: 'text/markdown, text/html, */*', withSetting: 'ai' },
  { program: 'SomeBot/1.0', path: '/guide', accept: 'text/html, text/markdown;q=0' },
])('$program reads $path, Accept $accept', ({ program, path, accept, kind = 'neither', withSetting = kind }) => {
  const fields = 'time=t,method=m,path=p,status=s,userAgent=u,address=a,accept=h'
  const format = createJsonFormat(parseJsonFields(fields))
  const text = JSON.stringify({
    t: '2026-11-20T10:11:12Z',
    m: 'GET',
    p: path,
    s: 200,
    u: program,
    a: '10.0.0.1',
    h: accept,
  })
  const kindOf = (markdownAsAi: boolean) => {
    const { views } = readLog(text, { format, markdownAsAi }).tally
    return Object.entries(views).flatMap(([name, count]) => (count > 0 ? [name] : []))
  }
  expect(kindOf(false)).toEqual([kind])
  expect(kindOf(true)).toEqual([withSetting])
})

test.each([
  ['an AI agent', line({ userAgent: 'GPTBot/1.3' }), ['/guide', 'agent:GPTBot']],
  [
    'an AI agent that reads Markdown',
    line({ path: '/guide.md', userAgent: 'GPTBot/1.3' }),
    ['/guide', 'agent:GPTBot', 'file:ai:Markdown', 'read:Markdown:GPTBot'],
  ],
  ['a program', line({ userAgent: 'curl/8.5.0' }), ['neither:http-library: curl']],
  ['a program without user agent', line({ userAgent: '-' }), ['neither:empty']],
  ['a person', line(), ['/guide']],
  ['a person who reads llms.txt', line({ path: '/llms.txt' }), ['file:human:llms.txt']],
  [
    'an AI agent that reads llms.txt',
    line({ path: '/llms.txt', userAgent: 'GPTBot/1.3' }),
    ['file:ai:llms.txt', 'read:llms.txt:GPTBot'],
  ],
  ['a program that reads llms.txt', line({ path: '/llms.txt', userAgent: 'curl/8.5.0' }), ['file:neither:llms.txt']],
  ['a person from an AI assistant', line({ referrer: 'https://chatgpt.com/' }), ['/guide', 'from:chatgpt.com/guide']],
  [
    'a person from the app of an AI assistant',
    line({ path: '/guide?utm_source=chatgpt.com' }),
    ['/guide', 'from:chatgpt.com/guide'],
  ],
  ['a program from an AI assistant', line({ referrer: 'https://chatgpt.com/', userAgent: '-' }), ['neither:empty']],
  ['an asset', line({ path: '/a.css', userAgent: 'GPTBot/1.3' }), []],
])('%s has its labels, once', (_, text, want) => {
  const { entries } = readLog(`${text}\n${text}\n`)
  expect(entries.map(({ path }) => path)).toEqual(want)
  expect(entries.every(({ path, mask }) => path.startsWith('/') === (mask !== 4))).toBe(true)
  expect(new Set(entries.map(({ visitor }) => visitor.slice(0, 12))).size).toBe(want.length > 0 ? 1 : 0)
})

test('each batch contains a visitor and a path once', () => {
  const text = [...generateAccessLog({ seed: 3, lines: 20_000, from: 20_700, to: 20_703, paths: ['/', '/a', '/b'] })]
  const reader = new LogReader({
    projects: oneProject,
    keys: fixedKeys,
    now: Date.now(),
    viewsPerBatch: 500,
  })
  reader.push(Buffer.from(text.join('\n')))
  reader.endFile()
  const batches = reader.takeBatches()
  expect(batches.length).toBeGreaterThan(5)
  for (const { batch } of batches) {
    expect(batch.length).toBeLessThanOrEqual(500)
    expect(new Set(batch.paths).size).toBe(batch.paths.length)
    const visitors = Array.from({ length: batch.visitors.length / 16 }, (_, i) =>
      Buffer.from(batch.visitors.subarray(i * 16, i * 16 + 16)).toString('hex'),
    )
    expect(new Set(visitors).size).toBe(visitors.length)
    expect(Math.max(...batch.visitorOf)).toBe(visitors.length - 1)
    expect(Math.max(...batch.pathOf)).toBe(batch.paths.length - 1)
  }
})

const log = [...generateAccessLog({ seed: 4, lines: 3000, from: 20_700, to: 20_703, paths: ['/', '/a', '/b'] })]

test('the views do not depend on chunks, batch sizes, or when batches are taken', () => {
  const bytes = Buffer.from(log.join('\n'))
  const whole = readLog(bytes)
  const wanted = toSet(whole.entries)
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 700 }),
      (sizes, viewsPerBatch) => {
        const now = Date.UTC(2026, 10, 20, 12)
        const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now, viewsPerBatch })
        const views: ReadView[] = []
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length] as number
          reader.push(bytes.subarray(at, at + size))
          at += size
          if (reader.isFull) views.push(...takeEntries(reader))
        }
        reader.endFile()
        views.push(...takeEntries(reader))
        expect(toSet(views)).toEqual(wanted)
        expect(reader.tally.rules).toEqual(whole.tally.rules)
        expect(reader.tally.views).toEqual(whole.tally.views)
      },
    ),
    { numRuns: 40 },
  )
})

/** What differs in each line, the count that a cache keeps, and the bytes of one. */
const floods: [string, (i: number) => string, number][] = [
  ['50,000 user agents', i => line({ userAgent: `a${i}` }), 50_000],
  ['100,000 pages', i => line({ path: `/${i}` }), 100_000],
  ['200,000 visitors', i => line({ address: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }), 200_000],
  ['16 MiB of user agents', i => line({ userAgent: 'a'.repeat(2043) + String(i).padStart(5, '0') }), 8192],
  ['16 MiB of pages', i => line({ path: `/${'a'.repeat(2042)}${String(i).padStart(5, '0')}` }), 8192],
]

test.each(floods)('a batch ends after %s, so that memory stays bounded', (_, toText, max) => {
  const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now: Date.UTC(2026, 10, 20, 12) })
  const push = (from: number, to: number) =>
    reader.push(Buffer.from(Array.from({ length: to - from }, (_, i) => `${toText(from + i)}\n`).join('')))
  push(0, max)
  expect(reader.isFull).toBe(false)
  push(max, max + 1)
  expect(reader.isFull).toBe(true)
})

test('a partial line at the end of a file is not continued in the next file', () => {
  const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now: Date.UTC(2026, 10, 20, 12) })
  reader.push(Buffer.from(`${line()}\n${line().slice(0, 60)}`))
  reader.startFile()
  reader.push(Buffer.from(`\ufeff${line({ path: '/other' })}`))
  reader.endFile()
  expect(takeViews(reader).map(({ path }) => path)).toEqual(['/guide', '/other'])
  expect(reader.tally.lines).toBe(2)
})

test('the next file may be in another format, and a visitor in both is one visitor', () => {
  const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now: Date.UTC(2026, 10, 20, 12) })
  const caddy = {
    ts: Date.UTC(2026, 10, 19) / 1000,
    status: 200,
    request: { client_ip: '10.0.0.1', method: 'GET', uri: '/guide', host: 'x', headers: { 'User-Agent': [browser] } },
  }
  for (const text of [line(), JSON.stringify(caddy), line({ day: 18 })]) {
    reader.startFile()
    reader.push(Buffer.from(text))
    reader.endFile()
  }
  const views = takeViews(reader)
  expect(views.map(({ day }) => day)).toEqual([20_777, 20_776, 20_775])
  expect(new Set(views.map(({ visitor }) => visitor)).size).toBe(1)
})

test('lines count for the projects of their hosts, each with its salt rotation, and the tallies add up', () => {
  const docs = { id: 'prj_docs', visitorSaltRotation: 'never', visitorRules: 2 } as const
  const blog = { id: 'prj_blog', visitorSaltRotation: 'day', visitorRules: 2 } as const
  const projects = new Map<string, VisitedProject>([
    ['docs.example', docs],
    ['help.example', docs],
    ['blog.example', blog],
  ])
  const lines = [
    `docs.example:443 ${line()}`,
    `help.example ${line({ path: '/help' })}`,
    `Blog.example:80 ${line()}`,
    `blog.example ${line({ day: 19 })}`,
    `blog.example ${line({ path: '/a.js' })}`,
    `other.example ${line()}`,
    `other.example ${line({ path: '/a.js' })}`,
    'garbage',
  ]
  const { views, reader, tally } = readLog(lines.join('\n'), { projects })
  expect(views.map(({ project, path }) => `${project} ${path}`)).toEqual([
    'prj_docs /guide',
    'prj_docs /help',
    'prj_blog /guide',
    'prj_blog /guide',
  ])
  const [guide, help, today, yesterday] = views.map(({ visitor }) => visitor)
  expect(guide).toBe(help)
  expect(new Set([guide, today, yesterday]).size).toBe(3)
  expect(reader.projects.map(({ project, tally }) => [project.id, tally.lines, tally.views.human])).toEqual([
    ['prj_docs', 2, 2],
    ['prj_blog', 3, 2],
  ])
  expect(tally).toMatchObject({ lines: 8, filtered: { asset: 1, 'unknown-host': 2 }, malformed: { 'wrong-format': 1 } })
  expect([...reader.unknownHosts]).toEqual([['other.example', 2]])
})

test('views of a period whose key was destroyed are not in a batch, and counted as too old', () => {
  const projects = { id: 'prj_1', visitorSaltRotation: 'day', visitorRules: 2 } as const
  const keys: VisitorKeys = { find: (project, day) => (day === 20_776 ? undefined : fixedKeys.find(project, day)) }
  const lines = [line(), line({ day: 19 }), line({ day: 18 }), line({ day: 19, path: '/b' }), line({ path: '/b' })]
  const { views, tally } = readLog(lines.join('\n'), { projects, keys })
  expect(views.map(({ path, day }) => [path, day])).toEqual([
    ['/guide', 20_777],
    ['/guide', 20_775],
    ['/b', 20_777],
  ])
  expect(tally).toMatchObject({ lines: 5, views: { human: 5, ai: 0, neither: 0 }, tooOldViews: 2 })
})

test.each([
  [
    'addresses and pages',
    60,
    4000,
    (id: string) => line({ address: `${`${id}.`.repeat(20)}example`, path: `/${id.repeat(60)}` }),
  ],
  ['user agents of 20 kB', 40, 80, (id: string) => line({ userAgent: `${browser} ${id.repeat(2500)}` })],
])('any number of different %s takes the same memory', (_, blocks, linesPerBlock, toLine) => {
  const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now: Date.UTC(2026, 10, 20, 12) })
  const before = process.memoryUsage().arrayBuffers
  let views = 0
  let peak = 0
  for (let block = 0; block < blocks; block++) {
    const ids = Array.from({ length: linesPerBlock }, (_, i) => String(block * linesPerBlock + i).padStart(8, '0'))
    reader.push(Buffer.from(`${ids.map(toLine).join('\n')}\n`))
    if (reader.isFull) views += takeViews(reader).length
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
  }
  views += takeViews(reader).length
  expect(views).toBe(blocks * linesPerBlock)
  // All texts of a kind have more than 16 MB. The reader keeps at most 16 MB per kind, in arrays that double in size.
  expect(peak).toBeLessThan(150e6)
})
