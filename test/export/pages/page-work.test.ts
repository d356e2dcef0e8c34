import { expect, test } from 'vitest'
import { createMarkReader, createTabReader } from '../../../server/export/pages/page-work.ts'
import { scanHtml } from '../../../server/web/html/html-scan.ts'
import { rawOf } from '../../../server/web/html/text-encoding.ts'
import { pagesOf, setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const { run } = setUpBrowserlessExports()

test('pages load nothing from other sites', async () => {
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

test('pages served as XHTML are parsed as XHTML', async () => {
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

test('fonts of style elements are embedded, and files that scripts fetch are packed but not preloaded', async () => {
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

test('the page in a srcdoc attribute is read and rewritten', async () => {
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

test('deeply nested frames end', async () => {
  const { report } = await run({ '/': `${page('home')}${'<iframe srcdoc='.repeat(20_000)}` })
  expect(report.pages).toBe(1)
})

test('links to versions and languages, canonical addresses and a base element are correct', async () => {
  const { entries, names, report } = await run({
    '/': page('home', '<link rel="alternate" hreflang="de" href="https://docs.example.com/de/"><a href="/v1/a">1</a>'),
    '/de/':
      '<!doctype html><html lang="de"><head><base href="/de/sub/"></head><body><p>Hier stehen die Worte dieser Seite. <a href="x">x</a>',
    '/de/sub/x': page('x'),
    '/v1/a': page('a', '<link rel="canonical" href="https://docs.example.com/v2/a"><p>old</p>'),
    '/v2/a': page('a', '<link rel="canonical" href="https://docs.example.com/v2/a"><p>new</p>'),
    '/sitemap.xml': '<urlset><url><loc>https://docs.example.com/v2/a</loc></url></urlset>',
  })
  expect(pagesOf(names)).toEqual(['de/index.html', 'de/sub/x.html', 'index.html', 'v1/a.html', 'v2/a.html'])
  expect(readEntry(entries, 'de/index.html')).toContain('<a href="sub/x.html">')
  expect(readEntry(entries, 'index.html')).toContain('hreflang="de" href="de/index.html"')
  expect([report.deadLinks, report.unresolved]).toEqual([[], []])
})

test('if the icon is missing, browsers do not request one from the root of the host', async () => {
  const { entries } = await run({ '/': page('home', '<link rel="icon" href="/no.svg">') })
  expect(readEntry(entries, 'index.html')).toContain('<link rel="icon" href="data:,"/>')
})

test('streamed content is in its place, and its style sheets and links are packed', async () => {
  const { entries, names, report } = await run({
    '/': page(
      'home',
      '<main><!--$?--><template id="B:0"></template>Loading...<!--/$--></main><div hidden id="S:0"><h2>Late</h2><a href="/late">late</a></div><script>$RC=function(a,b){};$RR=function(a,b){};$RR("B:0","S:0",[["/late.css","next"]])</script>',
    ),
    '/late': page('late'),
    '/late.css': 'h2{}',
  })
  const home = readEntry(entries, 'index.html')
  expect(home).toContain('<main><!--$--><h2>Late</h2><a href="late.html">late</a><!--/$--></main>')
  expect(home).toContain('<link rel="stylesheet" href="late.css" data-precedence="next"/>')
  expect(home).not.toMatch(/Loading|id="S:0"|\$RR\("/)
  expect([names.includes('late.css'), names.includes('late.html'), report.unresolved]).toEqual([true, true, []])
})

test('links in a declarative shadow tree are rewritten', async () => {
  const { entries } = await run({
    '/': page('home', '<docs-card><template shadowrootmode="open"><a href="/a">a</a></template></docs-card>'),
    '/a': page('a'),
  })
  expect(readEntry(entries, 'index.html')).toContain('<template shadowrootmode="open"><a href="a.html">a</a>')
})

function marksOf(html: string): number[] {
  const raw = rawOf(html)
  const reader = createMarkReader(raw)
  scanHtml(raw.text, reader.handler)
  return reader.finish()
}

test.each([
  ['text', '<p>one</p>', '<p>other</p>'],
  ['links', '<a href="a">one</a>', '<a href="b">one</a><a href="c">two</a>'],
  ['numbers in names', '<div data-chart="1" class="chart-1"></div>', '<div data-chart="2" class="chart-27"></div>'],
  ['classes of elements with content', '<div class="one">x</div>', '<div class="two">x</div>'],
])('pages that differ only in %s have the same marks', (_, one, other) => {
  expect(marksOf(one)).toEqual(marksOf(other))
})

test.each([
  ['a custom element', '<p>x</p><api-table>x</api-table>'],
  ['a data attribute', '<p data-from="/a.json">x</p>'],
  ['an event attribute', '<p onclick="go()">x</p>'],
  ['an empty element', '<p>x</p><div id="changes"> </div>'],
  ['a layout', '<main class="blog"><p>x</p></main>'],
  ['a level of headings', '<p>x</p><h3>x</h3>'],
  ['a search field', '<p>x</p><input type="search">'],
])('%s is a mark', (_, html) =>
  expect(marksOf(html).filter(mark => !marksOf('<p>x</p>').includes(mark))).not.toEqual([]),
)

test('a page has a limited number of marks', () => {
  const html = Array.from({ length: 500 }, (_, index) => `<x-${'abcdefghij'[index % 10]?.repeat(1 + index)}></x-y>`)
  expect(marksOf(html.join(''))).toHaveLength(64)
})

const tab = '<button role=tab>a</button>'
const panel = '<div role="TabPanel">words</div>'
const emptyPanel = '<div role=tabpanel> </div>'

test.each([
  ['two tabs and one panel', tab + tab + panel, true],
  ['as many panels as tabs', tab + tab + panel + panel, false],
  ['an empty panel', tab + tab + panel + emptyPanel, true],
  ['empty panels only', tab + tab + emptyPanel, false],
  ['one tab', tab, false],
  ['other roles', `${tab}${tab}<div role=list>words</div>`, false],
  ['tabs only', tab + tab, false],
  ['an element in its panel', `${tab}${tab}<div role=tabpanel><p></p></div>`, true],
])('a page with %s has tabs without a panel: %s', (_, text, want) => {
  const { handler, finish } = createTabReader({ text, charset: 'utf-8' })
  scanHtml(text, handler)
  expect(finish()).toBe(want)
})
