import { expect, test } from 'vitest'
import { pagesOf, setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const { run } = setUpBrowserlessExports()

test('keeps redirects as small pages, and links directly to their targets', async () => {
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
    ['/loop', 'more than 20 redirects'],
  ])
  expect(names).not.toContain('loop/index.html')
})

test('JavaScript redirects work without scripts', async () => {
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

test('a redirect to another site that cannot be reached becomes a link to that site', async () => {
  const { entries, report } = await run(
    {
      '/': page('home', '<a href="/away">y</a>'),
      '/away': { status: 302, headers: { location: 'http://no-such-host.invalid/there' } },
    },
    { limits: { pageTimeoutMs: 8000 } },
  )
  expect(readEntry(entries, 'index.html')).toContain('<a href="http://no-such-host.invalid/there">y</a>')
  expect([report.deadLinks, report.skipped]).toEqual([[], []])
})
