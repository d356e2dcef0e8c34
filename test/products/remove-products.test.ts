import { describe, expect, test } from 'vitest'
import { createSite } from '../../server/export/model/site.ts'
import type { Features } from '../../server/products/features.ts'
import { createProductRemoval } from '../../server/products/product-removal.ts'
import { knownProducts } from '../../server/products/products.ts'
import { hasConsole } from '../../server/products/recognize-products.ts'
import { noRemovalRules } from '../../server/products/removal-rules.ts'
import type { Feature, RemovalRules } from '../../server/tenancy/removal-rules.ts'
import { parseSelector } from '../../server/web/html/selector.ts'
import { callInThread } from '../support/thread.ts'

const off: Features = { search: false, assistant: false, analytics: false, playground: false }
const on: Features = { search: true, assistant: true, analytics: true, playground: true }
const site = createSite('docs.example.com', new URL('http://127.0.0.1:3000/'))
const url = new URL('http://127.0.0.1:3000/guide/')

function clean(html: string, { features = off, rules = null as Partial<RemovalRules> | null, pageUrl = url } = {}) {
  const removal = createProductRemoval(features, rules && { ...noRemovalRules, ...rules }, site)
  const { raw, products } = removal.clean({ text: html, charset: 'utf-8' }, pageUrl)
  const { text } = raw
  removal.note(
    pageUrl.href,
    [...products].map(({ name }) => name),
  )
  const { removedFeatures, keptFeatures } = removal.count([pageUrl.href])
  const names = (list: typeof removedFeatures) => list.map(({ product }) => product)
  return { text, removed: names(removedFeatures), kept: names(keptFeatures), removal }
}

/** Returns an element that matches a selector of the table. */
function markupOf(selectorText: string): string {
  const { tag, id, classes, attributes } = parseSelector(selectorText)
  const name = tag ?? 'div'
  const all = [
    ...(id === null ? [] : [`id="${id}"`]),
    ...(classes.length === 0 ? [] : [`class="own ${classes.join(' ')}"`]),
    ...attributes.map(({ name, value }) => `${name}="${value ?? ''}"`),
  ]
  return name === 'meta' ? `<meta ${all.join(' ')}>` : `<${name} ${all.join(' ')}>inside</${name}>`
}

/** Returns an address that matches a pattern of the table. */
function addressOf(pattern: string): string {
  const slash = pattern.indexOf('/')
  const host = pattern.slice(0, slash).replace(/^\*$/, 'cdn.example.net').replace('*', 'x1')
  return `https://${host}${pattern.slice(slash).replaceAll('*', 'x1')}`
}

describe('each sign of each known product', () => {
  // A reference without a console is a product only where a browser can show it; see references.test.ts.
  const signs = knownProducts
    .filter(hasConsole)
    .flatMap(({ name, feature, addresses = [], inline = [], elements = [] }) => [
      ...addresses.map(sign => ({ name, feature, sign, markup: `<script async src="${addressOf(sign)}"></script>` })),
      ...inline.map(sign => ({ name, feature, sign, markup: `<script>;${sign}'x')</script>` })),
      ...elements.map(sign => ({ name, feature, sign, markup: markupOf(sign) })),
    ])
  test.each(signs)('$name: $sign is removed if $feature is off and stays if it is on', ({ feature, markup }) => {
    const page = `<!doctype html><html><head></head><body><h1>A</h1>${markup}<p>B</p></body></html>`
    const only = (isOn: boolean): Features => ({ ...(isOn ? off : on), [feature]: isOn })
    const gone = clean(page, { features: only(false) })
    expect(gone.text).toBe('<!doctype html><html><head></head><body><h1>A</h1><p>B</p></body></html>')
    const stays = clean(page, { features: only(true) })
    expect(stays.text).toBe(page)
    expect(stays.kept.length).toBeGreaterThan(0)
  })

  test('every feature has products, and their names are unique', () => {
    const features: Feature[] = ['search', 'assistant', 'analytics', 'playground']
    for (const feature of features) expect(knownProducts.some(product => product.feature === feature)).toBe(true)
    expect(new Set(knownProducts.map(({ name }) => name.toLowerCase())).size).toBe(knownProducts.length)
  })
})

describe('removed', () => {
  const cases: [name: string, given: string, want: string][] = [
    ['an element with its content', '<div id="kapa-widget"><div><p>a</div><div>b</div></div>c', 'c'],
    ['an element whose children are not closed', '<ul class="addsearch"><li>a<li>b<p>c</ul>d', 'd'],
    ['an open list item, up to the next', '<ul><li class="addsearch">a<li>b</ul>', '<ul><li>b</ul>'],
    [
      'only the tag of an element that is never closed',
      '<div class="addsearch"><p>all the text</p>',
      '<p>all the text</p>',
    ],
    ['what the author of the site marked', 'a<p data-quire-export="remove"><a href="/in">Sign in</a></p>b', 'ab'],
    ['a void element', 'a<img src="https://www.facebook.com/tr?id=1">b', 'ab'],
    ['a frame of a product', 'a<iframe src="//codepen.io/x/embed/y"><p>no frames</p></iframe>b', 'ab'],
    ['a preconnect link', '<link rel="preconnect" href="https://X-dsn.algolia.net">a', 'a'],
    ['a style sheet', '<link rel=stylesheet href=https://cdn.jsdelivr.net/npm/@docsearch/css@3>a', 'a'],
    ['an emptied noscript', 'a<noscript> <img src="https://px.ads.linkedin.com/collect"> </noscript>b', 'ab'],
    ['an emptied link', '<a href="https://god.gw.postman.com/x"><img src="https://run.pstmn.io/button.svg"></a>b', 'b'],
    ['a button that opens a product', `<button onclick="Intercom('show')">Ask us</button>b`, 'b'],
    ['a link that opens a product', `<a href="javascript:Beacon('open')">Ask us</a>b`, 'b'],
    ['a script that waits for consent', `<script type="text/plain">fbq('init', '1')</script>b`, 'b'],
    ['a search form of a search engine', '<form action="https://www.google.com/search"><input name=q></form>b', 'b'],
    ['a script on the host of the site', '<script src="/matomo.js"></script>b', 'b'],
    [
      'ambiguous elements beside clear evidence of the product',
      '<link rel="preconnect" href="https://x.algolia.net"><button class="DocSearch-Button">Search</button>b',
      'b',
    ],
    [
      'ambiguous elements beside the configuration of the product, which stays',
      '<script>window.__VP_SITE_DATA__=JSON.parse("{\\"search\\":{\\"provider\\":\\"algolia\\"}}")</script><div id="docsearch"></div>b',
      '<script>window.__VP_SITE_DATA__=JSON.parse("{\\"search\\":{\\"provider\\":\\"algolia\\"}}")</script>b',
    ],
  ]
  test.each(cases)('%s', (_name, given, want) => {
    expect(clean(given).text).toBe(want)
  })

  test('kept scripts cannot show removed elements again', () => {
    const html =
      '<head><link rel="preconnect" href="https://x.algolia.net"></head><div class="DocSearch">x</div><script src="/app.js"></script>'
    expect(clean(html).text).toMatch(
      /^<head><style>[^<]*\.DocSearch,[^<]*\{display:none!important\}<\/style><\/head><script src="\/app.js"><\/script>$/,
    )
  })
})

describe('kept', () => {
  const cases: [name: string, given: string][] = [
    ['text about products', "<p>Add gtag('config') of www.googletagmanager.com, then docsearch({}).</p>"],
    [
      'code samples',
      '<pre>&lt;script src="https://cdn.segment.com/a.js">&lt;/script></pre><code>Intercom(\'boot\')</code>',
    ],
    ['links to vendors', '<a href="https://www.algolia.com/">A</a><a href="https://widget.kapa.ai/doc">B</a>'],
    [
      'a local search with the same button',
      '<div id="local-search"><button class="DocSearch DocSearch-Button">Search</button></div>',
    ],
    [
      'a local search script',
      '<script src="_static/searchtools.js"></script><form action="search.html"><input></form>',
    ],
    ['page data that mentions products', `<script>self.__next_f.push([1,"call gtag('config','G-1')"])</script>`],
    ['data', `<script type="application/json">{"text":"posthog.init("}</script>`],
    ['a longer function name with the same end', "<script>navigator.sendBeacon('/own'); resizE('x')</script>"],
    ['the body, whatever its class', '<body class="swagger-ui"><p>text</p></body>'],
    ['comments', '<!-- <script src="https://cdn.segment.com/a.js"></script> -->'],
  ]
  test.each(cases)('%s', (_name, given) => {
    expect(clean(given)).toMatchObject({ text: given, removed: [] })
  })

  test("a vendor's own documentation", () => {
    const removal = createProductRemoval(off, null, createSite('docs.sentry.io', new URL('https://docs.sentry.io/')))
    const page = new URL('https://docs.sentry.io/')
    const html = '<script src="/app.js"></script><img src="https://docs.sentry.io/a.png">'
    expect(removal.clean({ text: html, charset: 'utf-8' }, page).raw.text).toBe(html)
    expect(removal.refuse(new URL('https://docs.sentry.io/app.js'))).toBeNull()
  })
})

describe("a site's settings", () => {
  test('remove elements and scripts, whatever the features', () => {
    const html = '<div class="ask us">x</div><script src="/js/ask.js?v=1"></script><script>startAsk ( "x" )</script>b'
    const rules = { removeSelectors: ['div.ask'], removeScripts: ['/js/ask.js', "inline:startAsk('x"] }
    const { text, removed, removal } = clean(html, { rules, features: on })
    expect([text, removed]).toEqual(['b', ['/js/ask.js', 'div.ask', "inline:startAsk('x"]])
    expect(removal.refuse(new URL('http://127.0.0.1:3000/js/ask.js'))).toBe("removed by the site's settings")
  })

  test('remove a product that they define if its feature is off', () => {
    const product = { name: 'Ask', feature: 'assistant' as const, selectors: ['ask-us'], scripts: ['*/ask.js'] }
    const html = '<ask-us>x</ask-us><script src="https://cdn.example.net/1/ask.js"></script>b'
    expect(clean(html, { rules: { products: [product] } })).toMatchObject({ text: 'b', removed: ['Ask'] })
    const kept = clean(html, { rules: { products: [product] }, features: on })
    expect(kept).toMatchObject({ text: html, kept: ['Ask'] })
  })

  test.each([['matomo'], ['/matomo.js']])('keep %s', name => {
    const html = '<script src="/matomo.js"></script>b'
    expect(clean(html, { rules: { keep: [name] } }).text).toBe(html)
  })

  test('keep an element', () => {
    const html = '<div id="swagger-ui" class="own">x</div><div id="swagger-ui">y</div>'
    expect(clean(html, { rules: { keep: ['.own'] } }).text).toBe('<div id="swagger-ui" class="own">x</div>')
  })
})

test('a broken page of a million open elements is read in linear time', async () => {
  const clean = (module: typeof import('./broken-page.ts'), count: number) => module.cleanBrokenPage(count)
  const text = await callInThread('test/products/broken-page.ts', clean, 1_000_000)
  expect(text).toBe('<i><p>'.repeat(500_000))
})
