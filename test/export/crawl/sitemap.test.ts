import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { linksOfLlms } from '../../../server/export/crawl/discover.ts'
import { readSitemap } from '../../../server/export/crawl/sitemap.ts'
import { callInThread } from '../../support/thread.ts'

type Module = typeof import('../../../server/export/crawl/sitemap.ts')

const limit = 1024 * 1024

test('reads pages with entities, CDATA, prefixes and alternates', () => {
  const xml = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc> https://a.example/x?a=1&amp;b=2 </loc><lastmod>2026-11-20</lastmod>
      <xhtml:link rel="alternate" hreflang="de" href="https://a.example/de/x"/></url>
    <url><loc><![CDATA[https://a.example/y]]></loc></url>
    <url><image:image><image:loc>https://a.example/no.png</image:loc></image:image><loc>https://a.example/z</loc></url></urlset>`
  expect(readSitemap(Buffer.from(xml), limit)).toEqual({
    pages: ['https://a.example/x?a=1&b=2', 'https://a.example/de/x', 'https://a.example/y', 'https://a.example/z'],
    sitemaps: [],
  })
})

test('reads an index, also compressed', () => {
  const xml = '<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap></sitemapindex>'
  expect(readSitemap(gzipSync(xml), limit)).toEqual({ pages: [], sitemaps: ['https://a.example/1.xml.gz'] })
})

test('reads a plain list of URLs, but no other text', () => {
  expect(readSitemap(Buffer.from('https://a.example/1\r\nhttps://a.example/2\n'), limit).pages).toHaveLength(2)
  expect(readSitemap(Buffer.from('Not found'), limit)).toEqual({ pages: [], sitemaps: [] })
})

test('a sitemap that unpacks to more than the limit is empty', () => {
  const bomb = gzipSync(`<urlset>${'<url><loc>https://a.example/</loc></url>'.repeat(100_000)}</urlset>`)
  expect(readSitemap(bomb, limit).pages).toEqual([])
})

test('llms.txt names pages in Markdown links', () => {
  const text =
    '# Docs\n- [Start](/start): begin here\n- [API](https://a.example/api.html "title")\n- [Odd](<./x>)\nplain /no'
  expect(linksOfLlms(text, new URL('https://a.example/'))).toEqual([
    'https://a.example/start',
    'https://a.example/api.html',
    'https://a.example/x',
  ])
})

test.each([
  ['open tags', `<urlset>${'<url><loc>'.repeat(500_000)}`],
  ['spaces', `<urlset><url><loc>${' '.repeat(4_000_000)}</url></urlset>`],
])('a sitemap of %s is read in linear time', async (_, text) => {
  const pages = await callInThread(
    'server/export/crawl/sitemap.ts',
    (module: Module, xml: string, maxBytes: number) => module.readSitemap(Buffer.from(xml), maxBytes).pages,
    text,
    64 * limit,
  )
  expect(pages).toEqual([])
})
