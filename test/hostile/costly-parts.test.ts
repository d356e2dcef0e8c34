import { expect, test } from 'vitest'
import { callInThread } from '../support/thread.ts'

// biome-ignore lint/suspicious/noExplicitAny: each case calls another module
type Call = (module: any, text: string) => unknown

interface Case {
  fact: string
  /** Below server/. */
  file: string
  call: Call
  text: string
  want: unknown
}

const spaces = ' '.repeat(400_000)
const many = (part: string, count = 400_000) => part.repeat(count)

/** Each took minutes to years in quadratic time, or all of the memory or the stack. */
const cases: Case[] = [
  {
    fact: 'spaces after a keyword of an own script',
    file: 'web/javascript/script-needs.ts',
    call: ({ scriptNeeds }, text) =>
      scriptNeeds(text, { url: new URL('http://a/'), isOwn: true, isInline: false }).length,
    text: `//from${spaces}`,
    want: 0,
  },
  {
    fact: 'spaces after a keyword of a script that is rewritten',
    file: 'export/rewrite/rewrite-script.ts',
    call: ({ rewriteScript }, text) =>
      rewriteScript({ text, charset: 'utf-8' }, { url: new URL('http://a/'), path: 'a.js', hasMoved: false }).length,
    text: `//import${spaces}`,
    want: 400_008,
  },
  {
    fact: 'endings in the address of a script',
    file: 'web/javascript/script-references.ts',
    call: ({ scriptReferences }, text) => scriptReferences(text).length,
    text: `"http://a/${many('.js?')} "`,
    want: 0,
  },
  {
    fact: 'functions that name chunks',
    file: 'web/javascript/chunk-files.ts',
    call: ({ chunkFiles }, text) => chunkFiles(text),
    text: many('.u=e=>e;', 100_000),
    want: [],
  },
  {
    fact: 'chunks and parts of their names',
    file: 'web/javascript/chunk-files.ts',
    call: ({ chunkFiles }, text) => chunkFiles(text),
    text: `.u=e=>e+${many('{1:"a"}[e]+', 40_000)}{${Array.from({ length: 40_000 }, (_, id) => `${id}:"a"`).join()}}[e]`,
    want: [],
  },
  {
    fact: 'names of chunks that are longer than the longest string',
    file: 'web/javascript/chunk-files.ts',
    call: ({ chunkFiles }, text) => chunkFiles(text),
    text: `.u=e=>{"${many('a', 50_000)}":"b"}[e]${many('+e', 15_000)}`,
    want: [],
  },
  {
    fact: 'maps of style sheets that are tried again',
    file: 'web/javascript/chunk-files.ts',
    call: ({ chunkFiles }, text) => chunkFiles(text),
    text: `r.miniCssF=e=>"a"+e;${many('.f.miniCss={', 2_000)}${many(',')}}[`,
    want: [],
  },
  {
    fact: 'an entry of import maps with another address in each map',
    file: 'web/javascript/import-map.ts',
    call: ({ createModuleNames }, text) => {
      let needed = 0
      const names = createModuleNames(() => {
        needed += 1
      })
      for (let name = 0; name < 5000; name += 1) names.addName(`a/${name}`)
      names.addMap(text, new URL('http://a/'))
      return needed
    },
    text: JSON.stringify({
      scopes: Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`/${at}/`, { 'a/': `/${at}/` }])),
    }),
    want: 500_000,
  },
  {
    fact: 'a string of ten million characters that a script shows',
    file: 'web/javascript/script-files.ts',
    call: ({ scriptFiles }, text) => scriptFiles(text),
    text: `children:"${many('a', 10_000_000)}"`,
    want: [],
  },
  {
    fact: 'endings and stems of joined names',
    file: 'export/crawl/joined-names.ts',
    call: ({ createNamePatterns }, text) => {
      const patterns = createNamePatterns(new URL('http://a/'))
      patterns.addScript(text, new URL('http://a/'))
      return patterns.endings.size
    },
    text: many('n+".js";"part"+n;', 50_000),
    want: 1,
  },
  {
    fact: 'a theme whose name goes on',
    file: 'export/runtime/page-runtime.ts',
    call: ({ findThemes }, text) => findThemes([text]).themeAttributes,
    text: `[data-${many('theme')}`,
    want: [],
  },
  {
    fact: 'unclosed references in a picture',
    file: 'web/html/svg-sprite.ts',
    call: ({ readSprite }, text) => readSprite(text).copy(['a'], (id: string) => id).ids.size,
    text: `<svg><path id="a" fill="${many('url(#')}"/></svg>`,
    want: 1,
  },
  {
    fact: 'a style sheet for each precedence of a streamed page',
    file: 'web/html/streamed-content.ts',
    call: ({ resolveStreamedContent }, text) => resolveStreamedContent({ text, charset: 'utf-8' }).text.length > 0,
    text: `<template id="P"></template><!--$?--><template id="B:0"></template><!--/$--><div id="S:0"></div><script>$RR("B:0","S:0",[${Array.from({ length: 150_000 }, (_, at) => `["/${at}","${at}"]`).join()}])</script>`,
    want: true,
  },
  {
    fact: 'a million instructions of a streamed page',
    file: 'web/html/streamed-content.ts',
    call: ({ resolveStreamedContent }, text) => resolveStreamedContent({ text, charset: 'utf-8' }).text === text,
    text: `<script>${many('$df("");', 1_000_000)}</script>`,
    want: true,
  },
  {
    fact: 'a name of a file of 100,000 characters',
    file: 'export/rewrite/layout.ts',
    call: ({ safeSegment }, text) => safeSegment(text).length,
    text: many('a', 100_000),
    want: 140,
  },
  {
    fact: 'accents without order in a word',
    file: 'in-page/search/search-terms.ts',
    call: ({ createTermReader }, text) => createTermReader().read(text).length,
    text: `a${many('\u0301\u0316', 200_000)}`,
    want: 1,
  },
  {
    fact: 'wildcards in an address pattern',
    file: 'web/address-pattern.ts',
    call: ({ parseAddressPattern }, text) => parseAddressPattern('/*a*a*a*a*a*a*b').matches(new URL(text, 'http://a/')),
    text: `/${many('a', 2000)}`,
    want: false,
  },
  {
    fact: 'as many user agents as rules in a robots.txt',
    file: 'export/crawl/robots.ts',
    call: ({ parseRobots }, text) => parseRobots(text, 'http://a', 'Quire').isAllowed(new URL('http://a/b')),
    text: `${many('User-agent: *\n', 18_000)}${many('Disallow: /a\n', 18_000)}`,
    want: true,
  },
  {
    fact: 'wildcards in the rules of a robots.txt',
    file: 'export/crawl/robots.ts',
    call: ({ parseRobots }, text) => {
      const { isAllowed } = parseRobots(text, 'http://a', 'Quire')
      const path = 'a'.repeat(1900)
      return Array.from({ length: 200 }, (_, at) => isAllowed(new URL(`/${path}${at}`, 'http://a'))).every(Boolean)
    },
    text: `User-agent: *\n${Array.from({ length: 260 }, (_, at) => `Disallow: /${'*a'.repeat(900)}x${at}$\n`).join('')}`,
    want: true,
  },
  {
    fact: 'slashes in the address of a request',
    file: 'web/browser/page-look.ts',
    call: ({ findLinkData }, text) => findLinkData([`http://a${text}`], ['http://a/b'], 'http://a/'),
    text: many('/a'),
    want: [],
  },
  {
    fact: 'slashes in the path of a file',
    file: 'export/verify/sample-pages.ts',
    call: ({ findCompanions }, text) => findCompanions(['/b'], [text]),
    text: many('/a', 20_000),
    want: [],
  },
  {
    fact: 'folders of another host in import maps',
    file: 'export/rewrite/bundle-map.ts',
    call: ({ createBundleMap }) => {
      const files = new Map(Array.from({ length: 20_000 }, (_, at) => [`http://b/${at}`, { state: 'file', path: 'b' }]))
      const targets = { pages: new Map(), files, aliases: new Map() }
      const map = createBundleMap({ own: () => null }, targets, { has: () => false })
      return Array.from({ length: 50_000 }, (_, at) => map.findFolder(new URL(`http://c/${at}/`))).every(
        path => path === null,
      )
    },
    text: '',
    want: true,
  },
  {
    fact: 'lists in a manifest, one in the other',
    file: 'web/html/manifest.ts',
    call: ({ replaceManifestUrls }, text) => replaceManifestUrls(text, () => 'b').length,
    text: `{"start_url":"a","a":${many('[', 100_000)}${many(']', 100_000)}}`,
    want: 200_022,
  },
  {
    fact: 'the scripts of a frame',
    file: 'web/html/page-links.ts',
    call: ({ readPageLinks }, text) => readPageLinks({ text, charset: 'utf-8' }, new URL('http://a/')).scripts.length,
    text: `<iframe srcdoc="${many('<script>a</script>', 1_000_000)}">`,
    want: 1_000_000,
  },
  {
    fact: 'the class of a product, many times in one element',
    file: 'products/product-removal.ts',
    call: ({ createProductRemoval }, text) => {
      const off = { search: false, assistant: false, analytics: false, playground: false }
      const removal = createProductRemoval(off, null, { own: () => null })
      return removal.clean({ text, charset: 'utf-8' }, new URL('http://a/')).raw.text
    },
    text: `<p><b class="${many('gcse-search ', 40_000)}"></b>a</p>`,
    want: '<p>a</p>',
  },
  {
    fact: 'unclosed comments beside a product',
    file: 'products/product-removal.ts',
    call: ({ createProductRemoval }, text) => {
      const off = { search: false, assistant: false, analytics: false, playground: false }
      const removal = createProductRemoval(off, null, { own: () => null })
      return removal.clean({ text, charset: 'utf-8' }, new URL('http://a/')).raw.text.length
    },
    text: `<p><textarea>${many('<!--')}</textarea><script src="https://www.googletagmanager.com/gtag/js"></script></p>`,
    want: 1_600_028,
  },
  {
    fact: 'a head without an end',
    file: 'products/product-removal.ts',
    call: ({ createProductRemoval }, text) => {
      const off = { search: false, assistant: false, analytics: false, playground: false }
      const rules = { removeSelectors: ['#gone'], removeScripts: [], keep: [], products: [], excludePages: [] }
      const removal = createProductRemoval(off, rules, { own: () => null })
      return removal.clean({ text, charset: 'utf-8' }, new URL('http://a/')).raw.text.length > 0
    },
    text: `<script src="/own.js"></script><i id="gone"></i>${many('<head ')}`,
    want: true,
  },
]

test.each(cases)('takes little time: $fact', { timeout: 20_000 }, async ({ file, call, text, want }) => {
  expect(await callInThread(`server/${file}`, call, text)).toEqual(want)
})

test.each([
  ['unclosed addresses of a font', '@font-face{src:', 'url(L', '}'],
  ['unclosed rules for fonts', '', '@font-face{', ''],
])('takes little time: %s', { timeout: 20_000 }, async (_, before, part, after) => {
  const isSame = await callInThread(
    'server/export/bundle/inline-fonts.ts',
    async ({ inlineFonts }: { inlineFonts(folder: string, paths: string[]): Promise<void> }, text) => {
      const { mkdtempSync, readFileSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs')
      const folder = mkdtempSync(`${process.getBuiltinModule('node:os').tmpdir()}/quire-fonts-`)
      writeFileSync(`${folder}/a.css`, text)
      await inlineFonts(folder, ['a.css'])
      const written = readFileSync(`${folder}/a.css`, 'latin1')
      rmSync(folder, { recursive: true })
      return written === text
    },
    before + many(part, 300_000) + after,
  )
  expect(isSame).toBe(true)
})
