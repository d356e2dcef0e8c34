import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SiteCache } from '../../../server/export/model/site-cache.ts'
import { openSiteCache } from '../../../server/store/site-cache/site-cache.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { recordLongSleeps } from '../../support/recorded-sleeps.ts'
import { type Exported, exportFakeSite, type FakeOptions, page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import { startVersionedSite, type VersionedSite } from './versioned-site.ts'

// Whole exports with a cache. They give the same bytes as without it, but fetch and render only changed files and pages.

let folder: string
let cache: SiteCache
let site: VersionedSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-reuse-'))
  const opened = openSiteCache({ folder, maxBytes: 1e9, sharesArchives: false, warn() {} })
  if (!opened) throw new Error('the cache is in use')
  cache = opened
})
afterEach(async () => {
  await site.close()
  await cache.close()
  await rm(folder, { recursive: true, force: true })
})

const count = 30

async function startPlainSite(hasTags = true): Promise<void> {
  const links = Array.from({ length: count }, (_, i) => `<a href="/p${i}">${i}</a>`).join('')
  const pages = Array.from({ length: count }, (_, i) => [
    `/p${i}`,
    page(`page ${i}`, '<link rel="stylesheet" href="/s.css">'),
  ])
  site = await startVersionedSite(
    { '/': page('home', links), '/s.css': 'p { color: red }', '/old': 'redirect /p1', ...Object.fromEntries(pages) },
    hasTags,
  )
}

/** A site whose pages are built by a script from texts. */
async function startRenderedSite(): Promise<void> {
  const words = (name: string) => Array.from({ length: 60 }, (_, i) => `${name}${i}`).join(' ')
  const script = `
    const main = document.createElement('main')
    main.dataset.at = performance.timeOrigin
    document.body.append(main)
    const name = location.pathname === '/' ? '/home' : location.pathname
    fetch(name + '.txt').then(answer => answer.text()).then(text => {
      main.textContent = text
      if (name === '/home') for (const to of ['/one', '/two']) {
        const link = document.createElement('a')
        link.href = to
        link.textContent = to
        main.append(link)
      }
    })`
  const shell = '<!doctype html><title>Docs</title><body><div id="app"></div><script src="/app.js"></script></body>'
  site = await startVersionedSite({
    '/': shell,
    '/one': shell,
    '/two': shell,
    '/app.js': script,
    '/home.txt': words('home'),
    '/one.txt': words('one'),
    '/two.txt': words('two'),
  })
}

let runs = 0
async function run(
  options: FakeOptions & { named?: string } = {},
): Promise<Exported & { stages: Set<string>; answered: string[] }> {
  runs += 1
  site.answered.length = 0
  const stages = new Set<string>()
  const { named = `run ${runs}`, ...rest } = options
  const exported = await exportFakeSite(site.origin, {
    reuse: { cache, run: named, engine: 'test' },
    onProgress: ({ stage }) => stages.add(stage),
    ...rest,
  })
  return { ...exported, stages, answered: [...site.answered] }
}

const changed = (answered: string[]) => answered.filter(line => line.startsWith('200 ')).sort()

test('an export with a cache has the same bytes as one without', async () => {
  await startPlainSite()
  const plain = await run({ reuse: null })
  expect((await run()).sha256).toBe(plain.sha256)
})

test.each([true, false])('the archive of an unchanged site is reused (tags: %s)', async hasTags => {
  await startPlainSite(hasTags)
  const first = await run()
  const second = await run()
  expect(second).toMatchObject({
    sha256: first.sha256,
    report: first.report,
    pageCount: first.pageCount,
    entries: first.entries,
  })
  expect([...second.stages]).toEqual(['compare'])
  if (hasTags) expect(changed(second.answered)).toEqual([])
  const third = await run()
  expect([third.sha256, [...third.stages]]).toEqual([first.sha256, ['compare']])
})

test('if one page changed, only that page is fetched, and the bundle equals a new one', async () => {
  await startPlainSite()
  await run()
  site.files['/p7'] = page('page 7', '<p>with other words</p>')
  const second = await run()
  // Once for the comparison, once for the export.
  expect(new Set(changed(second.answered))).toEqual(new Set(['200 /p7']))
  expect(second.sha256).toBe((await run({ reuse: null })).sha256)
})

test.each<[string, (files: Record<string, string>) => void]>([
  ['a new page', files => Object.assign(files, { '/': page('home', '<a href="/new">new</a>'), '/new': page('new') })],
  ['a missing page', files => delete files['/p3']],
  ['another target of a redirect', files => Object.assign(files, { '/p4': 'redirect /p5' })],
  [
    'a sitemap where there was none',
    files => Object.assign(files, { '/sitemap.xml': '<urlset><url><loc>/x</loc></url></urlset>' }),
  ],
])('%s is detected', async (_, change) => {
  await startPlainSite()
  const first = await run()
  change(site.files)
  const second = await run()
  const anew = await run({ reuse: null })
  expect(second.sha256).toBe(anew.sha256)
  expect([...second.stages]).toContain('archive')
  expect(first.sha256 === anew.sha256).toBe(_.startsWith('a sitemap'))
})

test('an export with other options fetches nothing again and makes a different bundle', async () => {
  await startPlainSite()
  const whole = await run()
  const part = await run({ paths: ['/p1'] })
  expect([part.pageCount, changed(part.answered)]).toEqual([1, []])
  const again = await run()
  expect([again.sha256, [...again.stages]]).toEqual([whole.sha256, ['compare']])
  const other = await run({ reuse: { cache, run: 'other', engine: 'another build' } })
  expect([...other.stages]).toContain('archive')
})

test('robots.txt is requested first, and its delay applies to the comparison', async () => {
  site = await startVersionedSite({
    '/': page('home', '<a href="/a">a</a>'),
    '/a': page('a'),
    '/robots.txt': 'User-agent: *\nCrawl-delay: 9',
  })
  const slept = recordLongSleeps(5000)
  await run({ obeyRobots: true })
  slept.length = 0
  const second = await run({ obeyRobots: true })
  expect([...second.stages]).toEqual(['compare'])
  expect(second.answered[0]).toBe('304 /robots.txt')
  expect(slept.map(ms => Math.round(ms / 9000))).toEqual(second.answered.slice(1).map(() => 1))
  site.files['/robots.txt'] = 'User-agent: *\nDisallow: /a'
  const third = await run({ obeyRobots: true })
  expect(third.answered.filter(line => line.endsWith(' /a'))).toEqual([])
})

test('a stopped run continues without repeating requests', async () => {
  await startPlainSite()
  const plain = await run({ reuse: null })
  const stopping = new AbortController()
  const stopped = run({
    named: 'job',
    signal: stopping.signal,
    limits: { connections: 2 },
    onProgress: ({ pagesDone }) => pagesDone === 10 && stopping.abort(),
  })
  await expect(stopped).rejects.toThrow()
  const before = [...site.answered]
  expect(changed(before).length).toBeGreaterThan(8)
  const resumed = await run({ named: 'job' })
  // Requests in progress at the stop may be repeated, at most one per connection.
  const twice = resumed.answered.filter(line => before.includes(line))
  expect(twice.length).toBeLessThanOrEqual(2)
  expect(resumed.sha256).toBe(plain.sha256)
})

test('a browser shows a page again only if something that it depends on changed', async context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  await startRenderedSite()
  const first = await run({ verify: 'static' })
  expect(first.report.renderedPages).toEqual(['/', '/one', '/two'])
  site.files['/two.txt'] = 'entirely new words '.repeat(30)
  const second = await run({ verify: 'static' })
  expect(new Set(changed(second.answered))).toEqual(new Set(['200 /two.txt']))
  // Each rendered page contains the time when it was opened.
  const shownAt = ({ entries }: Exported, name: string) => /data-at="([\d.]+)"/.exec(readEntry(entries, name))?.[1]
  expect(shownAt(first, 'index.html')).toMatch(/^\d/)
  for (const [name, isSame] of [
    ['index.html', true],
    ['one.html', true],
    ['two.html', false],
  ] as const)
    expect([name, shownAt(second, name) === shownAt(first, name)]).toEqual([name, isSame])
  expect(readEntry(second.entries, 'two.html')).toContain('entirely new words')
  const third = await run({ verify: 'static' })
  expect([third.sha256, [...third.stages]]).toEqual([second.sha256, ['compare']])
})
