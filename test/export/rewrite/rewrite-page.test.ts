import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FileOutcome, PageOutcome, Resource } from '../../../server/export/model/resource.ts'
import { createExclusions, createSite } from '../../../server/export/model/site.ts'
import { createBundleMap, planTargets } from '../../../server/export/rewrite/bundle-map.ts'
import { findUnresolvedInPage } from '../../../server/export/rewrite/check-links.ts'
import { redirectPage } from '../../../server/export/rewrite/layout.ts'
import { rewritePage } from '../../../server/export/rewrite/rewrite-page.ts'
import { rewriteStylesheet } from '../../../server/export/rewrite/rewrite-stylesheet.ts'
import { readRawText } from '../../../server/web/html/text-encoding.ts'

const root = 'https://docs.example.com'
const site = createSite('docs.example.com', new URL(root))
const resource = (key: string): Resource => ({
  key,
  url: new URL(key),
  kind: 'page',
  type: 'text/html',
  charset: 'utf-8',
  file: '',
  sizeBytes: 0,
  sha256: key,
  rendered: false,
  hasScripts: false,
  span: null,
})

const pagePaths = {
  '/': 'index.html',
  '/guide/start': 'guide/start/index.html',
  '/guide/install': 'guide/install/index.html',
  '/api.html': 'api.html',
  '/search.html': 'search.html',
}
const filePaths = {
  [`${root}/css/site.css?v=2`]: 'css/site.css',
  [`${root}/css/site.css`]: 'css/site.css',
  [`${root}/img/a.png`]: 'img/a.png',
  [`${root}/img/b.png`]: 'img/b.png',
  [`${root}/js/app.js`]: 'js/app.js',
  [`${root}/files/manual.pdf`]: 'files/manual.pdf',
  'https://cdn.example.net/lib.css': '_external/cdn.example.net/lib.css',
}
const pages = new Map<string, PageOutcome>([
  ...Object.keys(pagePaths).map(path => [root + path, { state: 'page', resource: resource(root + path) }] as const),
  [`${root}/moved`, { state: 'elsewhere', url: new URL('https://new.example/home') }],
  [`${root}/old`, { state: 'redirect', to: `${root}/guide/install` }],
  [`${root}/gone`, { state: 'missing', reason: 'status 404' }],
  [`${root}/files/manual.pdf`, { state: 'file', key: `${root}/files/manual.pdf` }],
])
const files = new Map<string, FileOutcome>([
  ...Object.keys(filePaths).map(key => [key, { state: 'file', resource: resource(key) }] as const),
  [`${root}/img/lost.png`, { state: 'missing', reason: 'status 404' }],
  ['https://track.example/t.js', { state: 'dropped', reason: 'a script of another site' }],
])
const plan = {
  pages: new Map(Object.entries(pagePaths).map(([path, file]) => [root + path, file])),
  files: new Map(Object.entries(filePaths)),
}
const map = createBundleMap(site, planTargets({ pages, files }, plan, new Map()), createExclusions([], site))
const paths = new Set([...Object.values(pagePaths), ...Object.values(filePaths), '_quire/runtime.js'])

const here = { url: new URL(`${root}/guide/start`), rendered: false }
const path = 'guide/start/index.html'

function rewrite(bytes: Buffer, { charset = null as string | null, rendered = false } = {}) {
  const dead: string[] = []
  const missing: string[] = []
  const raw = readRawText(bytes, charset)
  const findings = {
    deadLink: (url: URL, reason: string) => dead.push(`${url.href}: ${reason}`),
    missingFile: (url: URL, reason: string) => missing.push(`${url.href}: ${reason}`),
  }
  const text = rewritePage(raw, { page: { ...here, rendered }, path, map, findings })
  return { text, raw: { ...raw, text }, dead, missing }
}

describe('fixtures', () => {
  const folder = join(import.meta.dirname, '../fixtures/rewrite')
  test.each(readdirSync(folder))('%s', async name => {
    const input = readFileSync(join(folder, name, 'input.html'))
    const { text, raw } = rewrite(input, { rendered: name === 'rendered' })
    await expect(text).toMatchFileSnapshot(join(folder, name, 'output.html'))
    expect(findUnresolvedInPage(raw, path, paths)).toEqual([])
  })
})

test('a page inside a frame is rewritten too, and one that is too deep is not shown', () => {
  const nest = (depth: number): string =>
    depth === 0
      ? '<a href="/api.html">x</a>'
      : `<iframe srcdoc="${nest(depth - 1)
          .replaceAll('&', '&amp;')
          .replaceAll('"', '&quot;')}"></iframe>`
  expect(rewrite(Buffer.from(nest(1))).text).toMatch(/srcdoc="[^"]*href=&quot;\.\.\/\.\.\/api\.html&quot;/)
  expect(rewrite(Buffer.from(nest(1))).text).not.toContain('data-quire-removed')
  expect(rewrite(Buffer.from(nest(8))).text).toContain('iframe data-quire-removed=')
})

test('reports dead links and missing files with the reason', () => {
  const { dead, missing } = rewrite(
    Buffer.from(
      '<a href="/gone">1</a><a href="/gone">2</a><a href="/unknown">3</a><img src="/img/lost.png"><script src="https://track.example/t.js"></script>',
    ),
  )
  expect(dead).toEqual([`${root}/gone: status 404`, `${root}/unknown: not among the exported pages`])
  expect(missing).toEqual([`${root}/img/lost.png: status 404`, 'https://track.example/t.js: a script of another site'])
})

test('writes text in a legacy encoding in ASCII, and keeps the bytes of scripts and styles', () => {
  const input = Buffer.from(
    '<html><head></head><p title="d\xe9j\xe0 vu">\xe9<a href="/caf\xe9">x</a><a href="/guide/install">\xfc\x80</a><script>"\xe9"</script><style>/*\xe9*/</style>',
    'latin1',
  )
  const { text, dead } = rewrite(input, { charset: 'iso-8859-1' })
  expect(text).toContain('<meta charset="windows-1252"/>')
  expect(text).toContain(
    '<p title="d&#233;j&#224; vu">&#233;<a class="quire-dead" data-quire-dead="/caf&#233;">x</a><a href="../install/index.html">&#252;&#8364;</a><script>"\xe9"</script><style>/*\xe9*/</style>',
  )
  expect(dead).toEqual([`${root}/caf%C3%A9: not among the exported pages`])
})

test.each([
  ['shift_jis', '93fa967b', '&#26085;&#26412;'],
  ['gb18030', 'c4e38139ee39', '&#20320;&#13312;'],
  ['iso-2022-jp', '1b2446396c1b2842', null],
])('%s in the text of a page', (charset, hex, written) => {
  const bytes = Buffer.concat([Buffer.from('<p>'), Buffer.from(hex, 'hex'), Buffer.from('</p>')])
  expect(rewrite(bytes, { charset }).text).toContain(`<p>${written ?? Buffer.from(hex, 'hex').toString('latin1')}</p>`)
})

test('a page that shows entities literally keeps its bytes', () => {
  expect(rewrite(Buffer.from('<xmp>\xe9</xmp>', 'latin1'), { charset: 'latin1' }).text).toContain('<xmp>\xe9</xmp>')
})

test('reads UTF-16 and writes UTF-8', () => {
  const { text } = rewrite(Buffer.from('\ufeff<p>\u00e9</p><a href="/guide/install">x</a>', 'utf16le'))
  const decoded = Buffer.from(text, 'latin1').toString()
  expect(decoded).toContain('<meta charset="utf-8"/>')
  expect(decoded).toContain('<p>é</p><a href="../install/index.html">x</a>')
})

test('the check finds addresses that lead outside or to missing files', () => {
  const html =
    '<a href="../nowhere.html"></a><a href="../../../../x"></a><img src="https://track.example/x.png"><a href="https://fine.example/"></a><img srcset="y.png 2x"><p style="background:url(z.png)"></p><style>@import "/q.css";</style><iframe src="//v.example/"></iframe>'
  expect(findUnresolvedInPage({ text: html, charset: 'utf-8' }, path, paths)).toEqual([
    '../../../../x',
    '../nowhere.html',
    '//v.example/',
    '/q.css',
    'https://track.example/x.png',
    'y.png',
    'z.png',
  ])
})

test('addresses in a style sheet are relative to the style sheet', () => {
  const css =
    '@import "https://cdn.example.net/lib.css";a{background:url(/img/a.png)}b{background:url(../img/lost.png)}c{background:url(#x)}d{background:url(data:,)}'
  const missing: string[] = []
  const text = rewriteStylesheet(
    { text: css, charset: 'utf-8' },
    { url: new URL(`${root}/css/site.css`) },
    { path: 'css/site.css', map, findings: { deadLink() {}, missingFile: url => missing.push(url.pathname) } },
  )
  expect(text).toBe(
    '@import "../_external/cdn.example.net/lib.css";a{background:url("../img/a.png")}b{background:url("data:,")}c{background:url(#x)}d{background:url(data:,)}',
  )
  expect(missing).toEqual(['/img/lost.png'])
})

test('a redirect page works without scripts', () => {
  const page = redirectPage({ path: 'c/index.html', to: 'a&b/index.html' })
  expect(page).toContain('<noscript><meta http-equiv="refresh" content="0; url=../a&amp;b/index.html"/></noscript>')
})
