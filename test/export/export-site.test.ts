import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ExportError } from '../../server/export/export-site.ts'
import { recordLongSleeps } from '../support/recorded-sleeps.ts'
import { exportFakeSite, type FakeOptions, type FakeSite, nextFiles, page, startFakeSite } from './fake-site.ts'
import { readEntry } from './read-archive.ts'
import type { RunningServer } from './static-server.ts'

const servers: RunningServer[] = []

// Sites whose HTML is complete need no browser, and these tests must not depend on one.
beforeAll(() => {
  const before = process.env.PUPPETEER_EXECUTABLE_PATH
  process.env.PUPPETEER_EXECUTABLE_PATH = '/nonexistent/chromium'
  return () => {
    if (before === undefined) delete process.env.PUPPETEER_EXECUTABLE_PATH
    else process.env.PUPPETEER_EXECUTABLE_PATH = before
  }
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function start(site: FakeSite): Promise<RunningServer> {
  const server = await startFakeSite(site)
  servers.push(server)
  return server
}

async function run(site: FakeSite, options: FakeOptions = {}) {
  const { origin } = await start(site)
  return exportFakeSite(options.origin ? new URL(options.origin.pathname, origin) : origin, {
    ...options,
    origin: options.origin ? new URL(options.origin.pathname, origin) : origin,
  })
}

const scope = (path: string) => new URL(path, 'http://scope.invalid')
const pagesOf = (names: string[]) => names.filter(name => name.endsWith('.html') && name !== 'export-report.html')

test('finds pages by links, sitemaps and llms.txt', async () => {
  const { names, pageCount, report } = await run({
    '/': page('home', '<a href="/linked">x</a>'),
    '/linked': page('linked', '<a href="deeper/">x</a>'),
    '/deeper/': page('deeper'),
    '/robots.txt': 'User-agent: *\nSitemap: https://docs.example.com/maps/index.xml',
    '/maps/index.xml':
      '<sitemapindex><sitemap><loc>https://docs.example.com/maps/1.xml.gz</loc></sitemap></sitemapindex>',
    '/maps/1.xml.gz': gzipSync(
      '<urlset><url><loc>https://docs.example.com/only-in-sitemap</loc></url><url><loc>https://elsewhere.example/x</loc></url></urlset>',
    ),
    '/sitemap.xml': '<urlset><url><loc>https://docs.example.com/in-the-usual-sitemap</loc></url></urlset>',
    '/llms.txt': '- [One](/only-in-llms.html)',
    '/only-in-sitemap': page('only in sitemap'),
    '/in-the-usual-sitemap': page('in the usual sitemap'),
    '/only-in-llms.html': page('only in llms'),
  })
  expect(pagesOf(names)).toEqual([
    'deeper/index.html',
    'in-the-usual-sitemap/index.html',
    'index.html',
    'linked/index.html',
    'only-in-llms.html',
    'only-in-sitemap/index.html',
  ])
  expect([pageCount, report.deadLinks, report.unresolved]).toEqual([6, [], []])
})

test('packs what pages need, down to the files of style sheets and scripts', async () => {
  const { names, report } = await run({
    '/': page(
      'home',
      '<link rel=stylesheet href="/css/a.css?v=1"><img srcset="/img/1.png 1x, /img/2.png 2x"><script src="js/app.js"></script><a href="/x.pdf">x</a>',
    ),
    '/css/a.css': '@import "b.css"; a { background: url(../img/3.png) }',
    '/css/b.css': '@font-face { src: url(/fonts/f.woff2) }',
    '/js/app.js': 'import("./chunk.js"); fetch("/data/list.json"); load("no/such.json")',
    '/js/chunk.js': 'export const x = "../js/deep.js"',
    '/js/deep.js': '1',
    '/data/list.json': '{}',
    '/img/1.png': '1',
    '/img/2.png': '2',
    '/img/3.png': '3',
    '/fonts/f.woff2': 'f',
    '/x.pdf': 'pdf',
    '/favicon.ico': 'icon',
  })
  expect(names).toEqual([
    'css/a.css',
    'css/b.css',
    'data/list.json',
    'export-report.html',
    'export-report.json',
    'favicon.ico',
    'fonts/f.woff2',
    'img/1.png',
    'img/2.png',
    'img/3.png',
    'index.html',
    'js/app.js',
    'js/chunk.js',
    'js/deep.js',
    'x.pdf',
  ])
  expect(report.missingFiles).toEqual([])
})

test('the same site gives the same bytes, also after a run that was killed', async () => {
  const site = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `/p${index}`,
      page(`p${index}`, `<a href="/p${(index * 7 + 1) % 40}">x</a><img src="/i${index % 5}.png">`),
    ]),
  )
  const { origin } = await start({
    '/': page('home', '<a href="/p0">x</a><a href="/p13">x</a>'),
    ...site,
    '/i0.png': '0',
    '/i1.png': '1',
  })
  const first = await exportFakeSite(origin)
  const { workFolder } = nextFiles()
  mkdirSync(join(workFolder, 'fetched'), { recursive: true })
  writeFileSync(join(workFolder, 'fetched', 'leftover'), 'x')
  const second = await exportFakeSite(origin, { workFolder })
  expect(second.sha256).toBe(first.sha256)
  const packed = await exportFakeSite(origin, { format: 'tar.gz' })
  const packedAgain = await exportFakeSite(origin, { format: 'tar.gz' })
  expect(packedAgain.sha256).toBe(packed.sha256)
  expect(packed.entries).toEqual(first.entries.map(entry => ({ ...entry, mode: entry.mode & 0o777 })))
})

test('keeps redirects as small pages and links straight to their ends', async () => {
  const { entries, names, report } = await run({
    '/': page('home', '<a href="/old">x</a><a href="/away">y</a><a href="/loop">z</a>'),
    '/old': { status: 301, headers: { location: '/older' } },
    '/older': { status: 302, headers: { location: 'https://docs.example.com/new/' } },
    '/new/': page('new'),
    '/away': { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    '/loop': { status: 302, headers: { location: '/loop' } },
  })
  expect(readEntry(entries, 'index.html')).toContain('<a href="new/index.html">x</a>')
  expect(readEntry(entries, 'old/index.html')).toContain('url=../new/index.html')
  expect(report.redirects).toEqual([{ from: 'old/index.html', to: 'new/index.html' }])
  expect(report.deadLinks.map(({ to, reason }) => [to, reason])).toEqual([
    ['/away', '127.0.0.1 is not a public address (loopback)'],
    ['/loop', 'more than 10 redirects'],
  ])
  expect(names).not.toContain('loop/index.html')
})

test('drops what a site answers for pages that are not there', async () => {
  const known: Record<string, string> = {
    '/': page('home', '<a href="/real">1</a><a href="/gone">2</a><a href="/robots-of-old.html">3</a>'),
    '/real': page('real'),
  }
  const { names, report } = await run(
    path => known[path] ?? `<h1>Sorry</h1><p>We looked everywhere and there is nothing at ${path} for you.</p>`,
  )
  expect(pagesOf(names)).toEqual(['index.html', 'real/index.html'])
  expect(report.deadLinks.map(({ to }) => to)).toEqual(['/gone', '/robots-of-old.html'])
})

test('drops pages that are sent to the page that stands for missing ones', async () => {
  const known: Record<string, string> = {
    '/': page('home', '<a href="/real">1</a><a href="/gone">2</a>'),
    '/real': page('real'),
    '/sorry': page('sorry'),
  }
  const { names } = await run(path => known[path] ?? { status: 302, headers: { location: '/sorry' } })
  expect(pagesOf(names)).toEqual(['index.html', 'real/index.html'])
})

describe('traps', () => {
  test('an endless site is cut at the same place every time', async () => {
    const site = (path: string) => {
      const at = Number(/^\/day\/(\d+)$/.exec(path)?.[1] ?? (path === '/' ? 0 : Number.NaN))
      return Number.isNaN(at)
        ? undefined
        : page(`day ${at}`, `<a href="/day/${at * 2 + 1}">x</a><a href="/day/${at * 2 + 2}">y</a>`)
    }
    const { origin } = await start(site)
    const first = await exportFakeSite(origin, { limits: { pages: 25, connections: 7 } })
    const second = await exportFakeSite(origin, { limits: { pages: 25, connections: 2 } })
    expect(first.pageCount).toBe(25)
    expect(second.sha256).toBe(first.sha256)
    expect(first.report.skipped[0]?.reason).toBe('past the limit of 25 pages')
  })

  test('relative links that go round in circles end', async () => {
    const { pageCount } = await run(
      path => (/^\/(loop\/|up\/)*$/.test(path) ? page(path, '<a href="loop/">x</a><a href="up/">y</a>') : undefined),
      { limits: { pages: 60 } },
    )
    expect(pageCount).toBe(60)
    const deep = await run(path => (/^\/(loop\/)*$/.test(path) ? page(path, '<a href="loop/">x</a>') : undefined))
    expect(deep.pageCount).toBe(5)
  })

  test('queries make no new pages', async () => {
    const { pageCount } = await run(path =>
      path.startsWith('/?') || path === '/' ? page('home', `<a href="/?p=${path.length}">x</a>`) : undefined,
    )
    expect(pageCount).toBe(1)
  })

  test('hostile names stay inside the bundle and apart', async () => {
    const hrefs = [
      '/..%2F..%2Fetc',
      '/a%5C..%5Cb',
      '/%00',
      `/${'n'.repeat(300)}`,
      '/Case',
      '/case',
      '/CASE',
      '/con',
      '/a:b',
      '/..%5C..%5Cx',
    ]
    const home = page('home', hrefs.map(href => `<a href="${href}">x</a>`).join(''))
    const { names, pageCount, report } = await run(path =>
      path === '/' ? home : hrefs.includes(path) ? page(path) : undefined,
    )
    expect(pageCount).toBe(hrefs.length + 1)
    expect(new Set(names.map(name => name.toLowerCase())).size).toBe(names.length)
    expect(names.filter(name => /(^|\/)\.\.?(\/|$)|[\\:*?"<>|]/.test(name))).toEqual([])
    expect(report.unresolved).toEqual([])
  })
})

describe('scope and choice of pages', () => {
  const site = {
    '/': page('root'),
    '/docs/': page('docs', '<a href="/docs/a">a</a><a href="/blog">b</a><img src="/static/i.png">'),
    '/docs/a': page('a', '<a href="/docs/">up</a>'),
    '/blog': page('blog'),
    '/static/i.png': 'i',
  }

  test('a site under a path stays there', async () => {
    const { names, entries, report } = await run(site, { origin: scope('/docs/') })
    expect(names).toEqual([
      'docs/a/index.html',
      'docs/index.html',
      'export-report.html',
      'export-report.json',
      'index.html',
      'static/i.png',
    ])
    expect(readEntry(entries, 'index.html')).toContain('url=docs/index.html')
    // The rest of the host is on the web.
    expect(readEntry(entries, 'docs/index.html')).toContain('<a href="https://docs.example.com/blog">b</a>')
    expect(report.deadLinks).toEqual([])
  })

  test('an address that names a page opens with it, though its folder is no page', async () => {
    const named = { '/guide/intro.html': page('intro', '<a href="next.html">n</a>'), '/guide/next.html': page('next') }
    const { entries, report } = await run(named, { origin: scope('/guide/intro.html') })
    expect([report.pages, report.deadLinks]).toEqual([2, []])
    expect(readEntry(entries, 'index.html')).toContain('url=guide/intro.html')
  })

  test('an address without a slash at its end is asked for as it is, too', async () => {
    const { entries } = await run(site, { origin: scope('/docs/a') })
    expect(readEntry(entries, 'index.html')).toContain('url=docs/a/index.html')
  })

  test('only the pages asked for', async () => {
    const { names, entries, pageCount } = await run(site, { paths: ['/docs/a', '/blog'] })
    expect(pageCount).toBe(2)
    expect(names).toEqual([
      'blog/index.html',
      'docs/a/index.html',
      'export-report.html',
      'export-report.json',
      'index.html',
    ])
    expect(readEntry(entries, 'docs/a/index.html')).toContain('<a class="quire-dead" data-quire-dead="/docs/">up</a>')
  })

  test('a page asked for that is not there fails the export by name', async () => {
    await expect(run(site, { paths: ['/blog', '/no-such', '/nor-this'] })).rejects.toThrow(
      'No page is at /no-such, /nor-this; correct `paths` (--path) and start again.',
    )
  })
})

test('one page under several spellings is one page', async () => {
  const { names, entries, report } = await run({
    '/': page(
      'home',
      '<a href="/a">1</a><a href="/a/">2</a><a href="/a/index.html">3</a><a href="/b.html">4</a><a href="/b">5</a><a href="/c">6</a>',
    ),
    '/a': { status: 404 },
    '/a/': page('a'),
    '/b': page('b'),
    '/b.html': page('b'),
    '/c': page('c'),
    '/c.html': page('another c'),
  })
  expect(pagesOf(names)).toEqual(['a/index.html', 'b.html', 'b/index.html', 'c/index.html', 'index.html'])
  expect(report.pages).toBe(4)
  const home = readEntry(entries, 'index.html')
  expect(home.match(/href="a\/index.html"/g)).toHaveLength(3)
  expect(home.match(/href="b\/index.html"/g)).toHaveLength(2)
  expect(readEntry(entries, 'b.html')).toContain('url=b/index.html')
})

test('a page with two names keeps the kind of name that the other pages have, and the other leads to it', async () => {
  const { names, entries, report } = await run({
    '/': page('home', '<a href="/a.html">1</a><a href="/b">2</a><a href="/b.html">3</a><a href="/docs/">4</a>'),
    '/a.html': page('a'),
    '/b': page('b'),
    '/b.html': page('b'),
    '/docs/': page('docs'),
  })
  expect(pagesOf(names)).toEqual(['a.html', 'b.html', 'b/index.html', 'docs/index.html', 'index.html'])
  expect(report.pages).toBe(4)
  expect(readEntry(entries, 'index.html').match(/href="b.html"/g)).toHaveLength(2)
  expect(report.redirects).toEqual([{ from: 'b/index.html', to: 'b.html' }])
})

test('robots.txt is obeyed for the sites of others, not for one\u2019s own', async () => {
  const site = {
    '/': page('home', '<a href="/private/x">x</a>'),
    '/private/x': page('x'),
    '/robots.txt': 'User-agent: *\nDisallow: /private/',
  }
  const own = await run(site)
  expect(pagesOf(own.names)).toEqual(['index.html', 'private/x/index.html'])
  const others = await run(site, { obeyRobots: true })
  expect(pagesOf(others.names)).toEqual(['index.html'])
  expect(others.report.skipped).toEqual([{ url: '/private/x', reason: 'refused by robots.txt' }])
  await expect(
    run({ ...site, '/robots.txt': 'User-agent: *\nDisallow: /' }, { obeyRobots: true }),
  ).rejects.toMatchObject({ code: 'robots' })
})

test('nothing of another site is left to load', async () => {
  const { entries, report } = await run({
    '/': page(
      'home',
      '<script src="https://127.0.0.1:1/t.js"></script><img src="http://127.0.0.1:1/p.png"><iframe src="https://v.example/"></iframe><link rel=preconnect href="https://127.0.0.1:1"><a href="https://other.example/">x</a>',
    ),
  })
  const home = readEntry(entries, 'index.html')
  expect(home).not.toMatch(/\b(src|href)="https?:\/\/127/)
  expect(home).not.toContain(' src="https://v.example/"')
  expect(home).toContain('<a href="https://other.example/">x</a>')
  expect(home).toContain("default-src 'self'")
  expect(report.removedThirdParty).toEqual([
    { url: 'http://127.0.0.1:1/p.png', reason: '127.0.0.1 is not a public address (loopback)' },
    { url: 'https://127.0.0.1:1/t.js', reason: '127.0.0.1 is not a public address (loopback)' },
  ])
})

describe('fails with a sentence that says what to do', () => {
  test.each<[string, FakeSite, FakeOptions, string, RegExp]>([
    [
      'no page at the start',
      {},
      {},
      'not_found',
      /^docs\.example\.com gave no page at \/ \(status 404\); check its domain and origin\.$/,
    ],
    ['a server that fails', () => ({ status: 500, body: '<p>no' }), {}, 'unreachable', /status 500/],
    [
      'an address that is not public',
      { '/': page('x') },
      { originAllowed: false },
      'forbidden_address',
      /127\.0\.0\.1 is not a public address \(loopback\); set the site's origin/,
    ],
    [
      'too many bytes',
      { '/': page('x', '<img src=a.png>'), '/a.png': Buffer.alloc(300_000) },
      { limits: { totalBytes: 200_000 } },
      'too_large',
      /larger than the limit of 0 MB/,
    ],
    [
      'too many files',
      { '/': page('x', '<img src=a.png><img src=b.png><img src=c.png>') },
      { limits: { files: 2 } },
      'too_large',
      /more than 2 files/,
    ],
    [
      'scripts that build the pages, and no browser',
      { '/': '<div id="app"></div><script src="/app.js"></script>' },
      {},
      'browser_missing',
      /no Chromium was found; install one with `(apt-get install chromium-headless-shell|npx puppeteer browsers install chrome-headless-shell)`/,
    ],
    [
      'too little time',
      path => (/^\/\d*$/.test(path) ? page(path, `<a href="/${Number(path.slice(1)) + 1}">x</a>`) : undefined),
      { limits: { jobTimeoutMs: 150 } },
      'timeout',
      /longer than its limit/,
    ],
  ])('%s', async (_, site, options, code, message) => {
    const error = await run(site, options).catch(error => error)
    expect(error).toBeInstanceOf(ExportError)
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)])
  })

  test('an origin where nobody answers', async () => {
    const server = await startFakeSite({})
    await server.close()
    await expect(exportFakeSite(server.origin)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('no server listens at 127.0.0.1'),
    })
  })

  test('an origin that stops answering half-way', async () => {
    const home = page('home', Array.from({ length: 12 }, (_, index) => `<a href="/p${index}">x</a>`).join(''))
    const error = await run(path => (path === '/' ? home : /^\/p\d$/.test(path) ? page(path) : { status: 502 })).catch(
      error => error,
    )
    expect(error).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(
        /^2 of 13 pages could not be fetched, more than 10 % \(--max-failed-percent\): 2 times status 502 \(\/[^ ]+, \/[^ ]+\)\. Start/,
      ),
    })
  }, 60_000)
})

test('a page or file past its own limit is left out and reported', async () => {
  const { names, report } = await run(
    {
      '/': page('home', '<a href="/big">x</a><img src="/big.png">'),
      '/big': page('big', 'x'.repeat(200_000)),
      '/big.png': Buffer.alloc(200_000),
    },
    { limits: { pageBytes: 100_000, fileBytes: 100_000 } },
  )
  expect(names).toEqual(['export-report.html', 'export-report.json', 'index.html'])
  expect(report.deadLinks).toMatchObject([{ to: '/big', reason: 'larger than the limit of 98 KB' }])
  expect(report.missingFiles).toMatchObject([{ url: '/big.png', reason: 'larger than the limit of 98 KB' }])
})

test('an abort ends the export at once and leaves nothing behind', async () => {
  const controller = new AbortController()
  const files = nextFiles()
  const site = (path: string) =>
    /^\/\d*$/.test(path) ? page(path, `<a href="/${Number(path.slice(1)) + 1}">x</a>`) : undefined
  const work = run(site, {
    ...files,
    signal: controller.signal,
    onProgress: ({ pagesDone }) => pagesDone > 20 && controller.abort(),
  })
  await expect(work).rejects.toMatchObject({ code: 'aborted' })
  expect([existsSync(files.outFile), existsSync(files.workFolder)]).toEqual([false, false])
})

test('the report in the bundle is the report of the result, without times or hosts', async () => {
  const { origin } = await start({ '/': page('home', '<a href="/gone">x</a>') })
  const { entries, report } = await exportFakeSite(origin, { version: '2026.11' })
  const text = readEntry(entries, 'export-report.json')
  expect(JSON.parse(text)).toEqual(report)
  expect(report).toMatchObject({
    domain: 'docs.example.com',
    version: '2026.11',
    deployment: 'air-gapped',
    pages: 1,
    files: 0,
  })
  expect(text).not.toContain(origin.host)
})

test('progress goes from discovery to the archive, and pages never become fewer', async () => {
  const seen: { stage: string; pagesDone: number; pagesKnown: number }[] = []
  await run(
    path =>
      /^\/[0-9]*$/.test(path) && Number(path.slice(1)) < 9
        ? page(path, `<a href="/${Number(path.slice(1)) + 1}">x</a>`)
        : undefined,
    {
      onProgress: progress => seen.push(progress),
    },
  )
  expect([...new Set(seen.map(({ stage }) => stage))]).toEqual(['discover', 'fetch', 'archive'])
  const fetching = seen.filter(({ stage }) => stage === 'fetch')
  expect(fetching.map(({ pagesDone }) => pagesDone)).toEqual([...fetching.keys()].map(index => index + 1))
  for (const { pagesDone, pagesKnown } of seen) expect(pagesDone).toBeLessThanOrEqual(pagesKnown)
})

test('an archive that was there is replaced only when the new one is complete', async () => {
  const files = nextFiles()
  writeFileSync(files.outFile, 'before')
  await expect(run({}, files)).rejects.toThrow()
  expect(readFileSync(files.outFile, 'utf8')).toBe('before')
})

test('pages that leave by a script lead on without it', async () => {
  const { entries, report, names } = await run({
    '/': page('home', '<a href="/old/">x</a><a href="/gone-away/">y</a>'),
    '/old/': '<title>Old</title><script>window.location.replace("/new/")</script>',
    '/gone-away/': '<script>location.href = "https://other.example/"</script>',
    '/new/': page('new'),
  })
  expect(pagesOf(names)).toContain('new/index.html')
  expect(readEntry(entries, 'old/index.html')).toMatch(/content="0; url=\.\.\/new\/index\.html"/)
  expect(readEntry(entries, 'gone-away/index.html')).toContain('<a href="https://other.example/">')
  expect(report.unresolved).toEqual([])
})

test('a redirect to another site that cannot be reached stays a link to there', async () => {
  const { entries, report } = await run(
    {
      '/': page('home', '<a href="/away">y</a>'),
      '/away': { status: 302, headers: { location: 'http://no-such-host.invalid/there' } },
    },
    { limits: { pageTimeoutMs: 8000 } },
  )
  expect(readEntry(entries, 'index.html')).toContain('<a href="http://no-such-host.invalid/there">y</a>')
  expect([report.deadLinks, report.skipped]).toEqual([[], []])
}, 30_000)

test('pages served as XHTML are read as what they mean', async () => {
  const { entries, report } = await run({
    '/': {
      headers: { 'content-type': 'application/xhtml+xml' },
      body: '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script src="a.js"/></head><body><div id="top"/><p>These are more than the few words that an empty page has <a href="/b">b</a></p></body></html>',
    },
    '/a.js': '1',
    '/b': page('b'),
  })
  expect(readEntry(entries, 'index.html')).toContain('<script src="a.js"></script>')
  expect(readEntry(entries, 'index.html')).toContain('<div id="top"></div>')
  expect([report.pages, report.unresolved]).toEqual([2, []])
})

test('fonts of style elements are there by double click, too, and files that scripts fetch are packed but not preloaded', async () => {
  const { entries, names } = await run({
    '/': page(
      'home',
      '<style>@font-face { font-family: A; src: url(/f.woff2) }</style><link rel="preload" as="fetch" crossorigin href="/data.json"><pre>@font-face { src: url(/f.woff2) }</pre>',
    ),
    '/f.woff2': 'font',
    '/data.json': '{}',
  })
  const home = readEntry(entries, 'index.html')
  expect(home).toContain(
    `<style>@font-face { font-family: A; src: url("data:font/woff2;base64,${btoa('font')}") }</style>`,
  )
  expect(home).toContain('<pre>@font-face { src: url(/f.woff2) }</pre>')
  expect(home).toContain('data-quire-removed="/data.json"')
  expect(names).toContain('data.json')
})

test('a frame whose page stands in the page is read and rewritten like one', async () => {
  const inner =
    '<p>inside <a href="b/">b</a><img src="/i.png"><script src="https://no-such-host.invalid/x.js"></script>'
  const { entries, names, report } = await run({
    '/a/': page('a', `<iframe srcdoc="${inner.replaceAll('"', '&quot;')}"></iframe>`),
    '/': page('home', '<a href="/a/">a</a>'),
    '/a/b/': page('b'),
    '/i.png': 'i',
  })
  expect(names).toEqual(expect.arrayContaining(['a/b/index.html', 'i.png']))
  const frame = readEntry(entries, 'a/index.html').match(/srcdoc="([^"]*)"/)?.[1] ?? ''
  expect(frame).toContain('&lt;a href=&quot;b/index.html&quot;')
  expect(frame).toContain('&lt;img src=&quot;../i.png&quot;')
  expect(frame).not.toMatch(/ src=&quot;https:/)
  expect(report.unresolved).toEqual([])
})

test('frames in frames in frames end', async () => {
  const { report } = await run({ '/': `${page('home')}${'<iframe srcdoc='.repeat(20_000)}` })
  expect(report.pages).toBe(1)
})

test('robots.txt may ask for time between requests to the sites of others', async () => {
  const site = {
    '/': page('home', '<a href="/1">1</a><a href="/2">2</a>'),
    '/1': page('1'),
    '/2': page('2'),
    '/robots.txt': 'User-agent: *\nCrawl-delay: 9',
  }
  const slept = recordLongSleeps(5000)
  await run(site, { obeyRobots: true })
  // Four requests wait at least, the sitemaps and the pages after them: each one crawl delay longer than the one before.
  expect(slept.length).toBeGreaterThanOrEqual(4)
  for (const [i, ms] of slept.entries()) expect(Math.round(ms / 9000)).toBe(i + 1)
  slept.length = 0
  await run(site)
  expect(slept).toEqual([])
})

test('versions, languages, canonical addresses and a base lead where they should', async () => {
  const { entries, names, report } = await run({
    '/': page('home', '<link rel="alternate" hreflang="de" href="https://docs.example.com/de/"><a href="/v1/a">1</a>'),
    '/de/':
      '<!doctype html><html lang="de"><head><base href="/de/sub/"></head><body><p>Hier stehen die Worte dieser Seite. <a href="x">x</a>',
    '/de/sub/x': page('x'),
    '/v1/a': page('a', '<link rel="canonical" href="https://docs.example.com/v2/a"><p>old</p>'),
    '/v2/a': page('a', '<link rel="canonical" href="https://docs.example.com/v2/a"><p>new</p>'),
    '/sitemap.xml': '<urlset><url><loc>https://docs.example.com/v2/a</loc></url></urlset>',
  })
  expect(pagesOf(names)).toEqual([
    'de/index.html',
    'de/sub/x/index.html',
    'index.html',
    'v1/a/index.html',
    'v2/a/index.html',
  ])
  expect(readEntry(entries, 'de/index.html')).toContain('<a href="sub/x/index.html">')
  expect(readEntry(entries, 'index.html')).toContain('hreflang="de" href="de/index.html"')
  expect([report.deadLinks, report.unresolved]).toEqual([[], []])
})

test('an icon that is missing is not looked for at the root of the host', async () => {
  const { entries } = await run({ '/': page('home', '<link rel="icon" href="/no.svg">') })
  expect(readEntry(entries, 'index.html')).toContain('<link rel="icon" href="data:,"/>')
})
