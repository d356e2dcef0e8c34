import { expect, test } from 'vitest'
import { pagesOf, setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const { run } = setUpBrowserlessExports()

test('several spellings of the address of a page are one page', async () => {
  const { names, entries, report } = await run({
    '/': page(
      'home',
      '<a href="/a">1</a><a href="/a/">2</a><a href="/a/index.html">3</a><a href="/b.html">4</a><a href="/b">5</a><a href="/c">6</a>',
    ),
    '/a': { status: 404 },
    '/a/': page('a'),
    '/b': page('b'),
    '/b.html': page('b'),
    '/c': page('c', '<a href="/c.html">other</a>'),
    '/c.html': page('another c'),
  })
  expect(pagesOf(names)).toEqual(['a/index.html', 'b.html', 'c.html', 'c/index.html', 'index.html'])
  expect(report.pages).toBe(5)
  const home = readEntry(entries, 'index.html')
  expect(home.match(/href="a\/index.html"/g)).toHaveLength(3)
  expect(home.match(/href="b.html"/g)).toHaveLength(2)
  expect(readEntry(entries, 'b/index.htm')).toContain('url=../b.html')
  expect(home).toContain('href="c/index.html"')
  expect(readEntry(entries, 'c/index.html')).toContain('href="../c.html"')
})

test('a page with two names keeps the one that is like other names, and hosts find it by both', async () => {
  const { names, entries, report } = await run({
    '/': page('home', '<a href="/a.html">1</a><a href="/b">2</a><a href="/b.html">3</a><a href="/docs/">4</a>'),
    '/a.html': page('a'),
    '/b': page('b'),
    '/b.html': page('b'),
    '/docs/': page('docs'),
  })
  expect(pagesOf(names)).toEqual(['a.html', 'b.html', 'docs/index.html', 'index.html'])
  expect(report.pages).toBe(4)
  expect(readEntry(entries, 'index.html').match(/href="b.html"/g)).toHaveLength(2)
  expect(readEntry(entries, 'b/index.htm')).toContain('url=../b.html')
  expect(report.redirects).toEqual([])
})
