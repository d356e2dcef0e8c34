import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { pagesOf, setUpBrowserlessExports } from '../browserless-exports.ts'
import { exportFakeSite, page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const { start, run } = setUpBrowserlessExports()

const scope = (path: string) => new URL(path, 'http://scope.invalid')

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
    'in-the-usual-sitemap.html',
    'index.html',
    'linked.html',
    'only-in-llms.html',
    'only-in-sitemap.html',
  ])
  expect([pageCount, report.deadLinks, report.unresolved]).toEqual([6, [], []])
})

describe('traps', () => {
  test('an endless site ends at the limit, with the same pages each time', async () => {
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

  test('relative links that make ever longer paths end', async () => {
    const { pageCount } = await run(
      path => (/^\/(loop\/|up\/)*$/.test(path) ? page(path, '<a href="loop/">x</a><a href="up/">y</a>') : undefined),
      { limits: { pages: 60 } },
    )
    expect(pageCount).toBe(60)
    const deep = await run(path => (/^\/(loop\/)*$/.test(path) ? page(path, '<a href="loop/">x</a>') : undefined))
    expect(deep.pageCount).toBe(5)
  })

  test('a query does not make another page', async () => {
    const { pageCount } = await run(path =>
      path.startsWith('/?') || path === '/' ? page('home', `<a href="/?p=${path.length}">x</a>`) : undefined,
    )
    expect(pageCount).toBe(1)
  })

  test('files with hostile names stay inside the bundle and do not overwrite each other', async () => {
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

describe('scope and selection of pages', () => {
  const site = {
    '/': page('root'),
    '/docs/': page('docs', '<a href="/docs/a">a</a><a href="/blog">b</a><img src="/static/i.png">'),
    '/docs/a': page('a', '<a href="/docs/">up</a>'),
    '/blog': page('blog'),
    '/static/i.png': 'i',
  }

  test('an origin with a path limits the export to pages below it', async () => {
    const { names, entries, report } = await run(site, { origin: scope('/docs/') })
    expect(names).toEqual([
      'docs/a.html',
      'docs/a/index.htm',
      'docs/index.html',
      'export-report.html',
      'export-report.json',
      'index.html',
      'quire-manifest.json',
      'static/i.png',
    ])
    expect(readEntry(entries, 'index.html')).toContain('url=docs/index.html')
    // The rest of the host is not in the bundle.
    expect(readEntry(entries, 'docs/index.html')).toContain('<a href="https://docs.example.com/blog">b</a>')
    expect(report.deadLinks).toEqual([])
  })

  test('the bundle opens with the page that the origin names, even if its folder is not a page', async () => {
    const named = { '/guide/intro.html': page('intro', '<a href="next.html">n</a>'), '/guide/next.html': page('next') }
    const { entries, report } = await run(named, { origin: scope('/guide/intro.html') })
    expect([report.pages, report.deadLinks]).toEqual([2, []])
    expect(readEntry(entries, 'index.html')).toContain('url=guide/intro.html')
  })

  test('an origin without a slash at its end is also requested without the slash', async () => {
    const { entries } = await run(site, { origin: scope('/docs/a') })
    expect(readEntry(entries, 'index.html')).toContain('url=docs/a.html')
  })

  test('exports only the requested pages', async () => {
    const { names, entries, pageCount } = await run(site, { paths: ['/docs/a', '/blog'] })
    expect(pageCount).toBe(2)
    expect(names).toEqual([
      'blog.html',
      'blog/index.htm',
      'docs/a.html',
      'docs/a/index.htm',
      'export-report.html',
      'export-report.json',
      'index.html',
      'quire-manifest.json',
    ])
    expect(readEntry(entries, 'docs/a.html')).toContain('<a class="quire-dead" data-quire-dead="/docs/">up</a>')
  })

  test('a requested page that is missing fails the export, and the error names it', async () => {
    await expect(run(site, { paths: ['/blog', '/no-such', '/nor-this'] })).rejects.toThrow(
      'These pages cannot be exported: /no-such (status 404), /nor-this (status 404). Correct `paths` (--path) and start again.',
    )
  })
})
