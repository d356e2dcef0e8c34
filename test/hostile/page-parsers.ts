import { createSite } from '../../server/export/model/site.ts'
import { createMarkReader, createTabReader } from '../../server/export/pages/page-work.ts'
import { createBundleMap } from '../../server/export/rewrite/bundle-map.ts'
import { findUnresolvedInPage } from '../../server/export/rewrite/check-links.ts'
import { rewritePage } from '../../server/export/rewrite/rewrite-page.ts'
import { guardPage } from '../../server/export/runtime/guard-page.ts'
import { readPageSections } from '../../server/export/search/page-sections.ts'
import { createSearchIndex } from '../../server/export/search/search-index.ts'
import { judgeScripts, namesRoot } from '../../server/export/verify/judge-sample.ts'
import { createProductRemoval } from '../../server/products/product-removal.ts'
import { scanHtml } from '../../server/web/html/html-scan.ts'
import { readPageHead } from '../../server/web/html/page-head.ts'
import { readPageLinks } from '../../server/web/html/page-links.ts'
import { readGluedWords, readPageText, readPageWords, readScriptRedirect } from '../../server/web/html/page-text.ts'

import { replaceSrcset } from '../../server/web/html/srcset.ts'
import { resolveStreamedContent } from '../../server/web/html/streamed-content.ts'

import { rawOf } from '../../server/web/html/text-encoding.ts'
import { expandEmptyElements } from '../../server/web/html/xhtml.ts'

import type { ForeignParser } from './foreign-parser.ts'

const url = new URL('https://docs.example.com/a/')
const site = createSite('docs.example.com', url)
const map = createBundleMap(site, { pages: new Map(), files: new Map(), aliases: new Map() }, { has: () => false })
const findings = { deadLink() {}, missingFile() {} }
const off = { search: false, assistant: false, analytics: false, playground: false }

/** The parsers of pages. */
export const pageParsers: Record<string, ForeignParser> = {
  'tags of a page': {
    parse: text =>
      scanHtml(text, {
        tag: tag => tag.attributes.length,
        rawText: (tag, start, end) => text.slice(start, end) + tag.source,
      }),
    after: ['', '<a ', '<script><!--<script>', '<svg><style>'],
  },
  'head of a page': {
    parse: text => readPageHead(rawOf(text)),
    after: ['<title>', '<meta name=generator content="'],
  },
  'visible text': {
    parse: text => readPageText(rawOf(text)),
    after: ['', '<li hidden>'],
  },
  'page words': { parse: text => readPageWords(rawOf(text)), after: [''] },
  'glued page words': { parse: text => readGluedWords(rawOf(text)), after: [''] },
  'page links': {
    parse: text => readPageLinks(rawOf(text), url),
    after: ['', '<a href="', '<img srcset="', '<iframe srcdoc="', '<style>@import "', '<p style="color:url('],
  },
  'page marks': {
    parse(text) {
      const marks = createMarkReader(rawOf(text))
      scanHtml(text, marks.handler)
      return marks.finish()
    },
    after: ['', '<a data-'],
  },
  'tabs of a page': {
    parse(text) {
      const tabs = createTabReader(rawOf(text))
      scanHtml(text, tabs.handler)
      return tabs.finish()
    },
    after: ['<a role='],
  },
  'streamed content': {
    parse: text => resolveStreamedContent(rawOf(text)),
    after: [
      '<script>$RC("B:0","S:0")</script>',
      '<script>$RC("',
      '<template id="B:0"></template><div id="S:0"></div><script>$RC("B:0","S:0")</script>',
    ],
  },
  'redirect by script': {
    parse: text => readScriptRedirect(rawOf(text.slice(0, 20_000))),
    after: ['<script>location="/a"</script>', '<script>location'],
  },
  XHTML: { parse: expandEmptyElements, after: ['', '<a '] },
  'removal of products': {
    parse: text => createProductRemoval(off, null, site).clean(rawOf(text), url),
    after: [
      '',
      '<a class="',
      '<a href="',
      '<script>',
      '<p><script src="https://www.googletagmanager.com/gtag/js"></script>',
      '<p><script src="https://www.googletagmanager.com/gtag/js"></script><textarea>',
      '<img srcset="',
    ],
  },
  'sections for the search': {
    parse: text => readPageSections(rawOf(text)),
    after: ['<main>', '<main><h2 id="'],
  },
  'search index': {
    parse(text) {
      const section = { anchor: '', heading: text, text }
      createSearchIndex().add('a.html', { name: text, title: text, language: 'en', sections: [section] })
    },
    after: [''],
  },
  srcset: { parse: text => replaceSrcset(text, address => address), after: ['', 'a ('] },
  'rewriting a page': {
    parse: text => rewritePage(rawOf(text), { page: { url, rendered: false }, path: 'a.html', map, findings }),
    after: ['', '<img srcset="', '<p style="color:url(', '<script>'],
  },
  'unresolved addresses': {
    parse: text => findUnresolvedInPage(rawOf(text), 'a.html', new Set()),
    after: ['', '<p style="color:url('],
  },
  'guarded page': {
    parse: text => guardPage(rawOf(`<meta http-equiv="x-dns-prefetch-control" content="off"/>${text}`), 'a.html', '/a'),
    after: ['<script>'],
  },
  'rules for scripts': {
    parse: text => [judgeScripts(rawOf(text), '/a'), namesRoot(rawOf(text), () => true, '/a')],
    after: ['<script>"/'],
  },
}
