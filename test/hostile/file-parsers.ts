import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inlineFonts } from '../../server/export/bundle/inline-fonts.ts'
import { inlineSprites } from '../../server/export/bundle/inline-sprites.ts'
import { dataWords } from '../../server/export/crawl/data-words.ts'
import { linksOfLlms } from '../../server/export/crawl/discover.ts'
import { createNamePatterns } from '../../server/export/crawl/joined-names.ts'
import { parseRobots } from '../../server/export/crawl/robots.ts'
import { readSitemap } from '../../server/export/crawl/sitemap.ts'
import {
  createExclusions,
  createSite,
  isTellingQuery,
  isTrap,
  linkKey,
  normalizePath,
} from '../../server/export/model/site.ts'
import { isMissing } from '../../server/export/pages/page-work.ts'
import { createBundleMap } from '../../server/export/rewrite/bundle-map.ts'
import { safeSegment } from '../../server/export/rewrite/layout.ts'
import { rewriteImportMap, rewriteScript } from '../../server/export/rewrite/rewrite-script.ts'
import { rewriteStylesheet } from '../../server/export/rewrite/rewrite-stylesheet.ts'
import { findThemes } from '../../server/export/runtime/page-runtime.ts'
import { findParts } from '../../server/export/verify/part-names.ts'
import { findCompanions } from '../../server/export/verify/sample-pages.ts'
import { chooseSearchWords } from '../../server/export/verify/search-words.ts'
import { readThemes } from '../../server/export/verify/write-scripts.ts'
import { barePath } from '../../server/in-page/runtime/bare-path.ts'
import { createTermReader } from '../../server/in-page/search/search-terms.ts'
import { findLinkData } from '../../server/web/browser/page-look.ts'
import { isSniffed, looksLikeHtml } from '../../server/web/fetch/answer.ts'
import { cssUrls } from '../../server/web/html/css-urls.ts'
import { replaceManifestUrls } from '../../server/web/html/manifest.ts'
import { splitWords } from '../../server/web/html/page-text.ts'
import { parseSelector } from '../../server/web/html/selector.ts'
import { readSprite } from '../../server/web/html/svg-sprite.ts'
import { headerCharset, rawOf, readRawText } from '../../server/web/html/text-encoding.ts'
import { chunkFiles } from '../../server/web/javascript/chunk-files.ts'
import { importMapEntries } from '../../server/web/javascript/import-map.ts'
import { scriptFiles } from '../../server/web/javascript/script-files.ts'
import { scriptNeeds } from '../../server/web/javascript/script-needs.ts'
import { scriptReferences } from '../../server/web/javascript/script-references.ts'

import type { ForeignParser } from './foreign-parser.ts'

const url = new URL('https://docs.example.com/a/')
const site = createSite('docs.example.com', url)
const map = createBundleMap(site, { pages: new Map(), files: new Map(), aliases: new Map() }, { has: () => false })
const findings = { deadLink() {}, missingFile() {} }
const folder = mkdtempSync(join(tmpdir(), 'quire-growth-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Writes a text as a file of a bundle, and returns its path. */
function fileOf(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return name
}

/** The parsers of style sheets, pictures, scripts, lists, headers and addresses. */
export const fileParsers: Record<string, ForeignParser> = {
  'terms of the search': { parse: text => createTermReader().read(text), after: ['', 'aB'] },
  'URLs of a style sheet': {
    parse: cssUrls,
    after: ['', 'a{b:url(', '@import "'],
  },
  'rewriting a style sheet': {
    parse: text => rewriteStylesheet(rawOf(text), { url }, { path: 'a.css', map, findings }),
    after: ['a{b:url('],
  },
  'fonts of a style sheet': {
    parse: text => inlineFonts(folder, [fileOf('a.css', text)]),
    after: ['@font-face{', '@font-face{src:url('],
  },
  'themes of a style sheet': {
    parse: text => findThemes([text]),
    after: ['[data-', '[data-theme'],
  },
  'themes in pages': {
    parse: text => readThemes(folder, [], [fileOf('a.html', text)]),
    after: ['<style'],
  },
  'SVG sprite': {
    parse: text => readSprite(text)?.copy(['a'], id => `b${id}`),
    after: ['<svg>', '<svg id=a><path fill="', '<svg id=a><path fill="url('],
  },
  'sprites of a page': {
    parse: text => inlineSprites(folder, [fileOf('b.html', text)]),
    after: ['<use href="a.svg#'],
  },
  'references of a script': {
    parse: scriptReferences,
    after: ['import "a";', 'import("https://'],
  },
  'needs of a script': {
    parse: text => scriptNeeds(text, { url, isOwn: false, isInline: false }),
    after: ['import "a";'],
  },
  'needs of an own script': {
    parse: text => scriptNeeds(text, { url, isOwn: true, isInline: false }),
    after: ['from', 'import('],
  },
  'rewriting a script': {
    parse: text => rewriteScript(rawOf(text), { url, path: 'a.js', hasMoved: false }, map, findings),
    after: ['from', 'new URL("'],
  },
  'files of a script': { parse: scriptFiles, after: ['"', 'children:"', '"a/'] },
  'chunks of a script': {
    parse: chunkFiles,
    after: ['', '.u=e=>', '.u=e=>({1:"', '.u=e=>"a"+', '.miniCssF=e=>e;.f.miniCss={'],
  },
  'names that a script joins': {
    parse: text => createNamePatterns(url).addScript(text, url),
    after: ['', '"', 'a+".js";'],
  },
  'import map': { parse: importMapEntries, after: ['{"imports":'] },
  'rewriting an import map': {
    parse: text => rewriteImportMap(rawOf(text), url, 'a.html', map),
    after: ['{"imports":'],
  },
  'web manifest': { parse: text => replaceManifestUrls(text, () => 'a'), after: ['{"icons":'] },
  sitemap: {
    parse: text => readSitemap(Buffer.from(text), 64 * 1024 ** 2),
    after: ['', '<urlset><url><loc>', '<urlset><url><link href="'],
  },
  'robots.txt': {
    parse: text => parseRobots(text, url.origin, 'QuireExport').isAllowed(new URL('a'.repeat(1900), url.origin)),
    after: ['User-agent: *\n', 'User-agent: *\nDisallow: /*'],
  },
  'llms.txt': { parse: text => linksOfLlms(text, url), after: ['', '](<'] },
  'words of a data file': { parse: text => dataWords(Buffer.from(text)), after: ['', '["'] },
  'encoding of a page': {
    parse: text => readRawText(Buffer.from(text), null),
    after: ['<meta charset'],
  },
  'Content-Type': {
    parse: text => headerCharset(text.slice(0, 16_384)),
    after: ['text/html; charset'],
  },
  'start of a body': {
    parse: text => isSniffed({ 'content-type': text }, { pathname: text }) || looksLikeHtml(Buffer.from(text)),
    after: [''],
  },
  selector: { parse: parseSelector, after: [''] },
  'address of a page': {
    parse(text) {
      const found = URL.parse(text, url) ?? url
      return [linkKey(found), isTrap(found), isTellingQuery(found), normalizePath(found.pathname)]
    },
    after: ['/', '/?'],
  },
  'excluded addresses': {
    parse: text => createExclusions(['/*/a/*/b/*/c'], site).has(URL.parse(text, url) ?? url),
    after: ['/a/'],
  },
  'file names': { parse: text => safeSegment(text), after: ['', '%'] },
  'paths of pages': { parse: barePath, after: ['a/'] },
  'data of linked pages': {
    parse: text => findLinkData([`${url}${text}`], [`${url}b`, `${url}${text}`], url.href),
    after: [''],
  },
  'companions of pages': { parse: text => findCompanions(['/a', '/b'], [`/${text}`]), after: [''] },
  'names of index parts': {
    parse: text => findParts(['/part_1.js'], [text], async () => false),
    after: ['["part",'],
  },
  'words to search for': { parse: text => chooseSearchWords([text, text]), after: [''] },
  'missing pages': { parse: text => isMissing(splitWords(text), url, splitWords(text), url), after: [''] },
}
