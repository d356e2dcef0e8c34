import { expect, test } from 'vitest'
import { cssUrls, replaceCssUrls } from '../../../server/web/html/css-urls.ts'

test.each([
  ['a{background:url(a.png)}', [['image', 'a.png']]],
  ['a{background:url( "a b.png" )}', [['image', 'a b.png']]],
  [
    "a{background:URL('a.png') , url(b.png)}",
    [
      ['image', 'a.png'],
      ['image', 'b.png'],
    ],
  ],
  ['a{background:url(a\\20 b.png)}', [['image', 'a b.png']]],
  ['@import "a.css";', [['import', 'a.css']]],
  ["@import url('a.css') layer(x) supports(display:grid) screen;", [['import', 'a.css']]],
  [
    '@import url(a.css);@import "b.css" print;',
    [
      ['import', 'a.css'],
      ['import', 'b.css'],
    ],
  ],
  ['@font-face{src:local("X"),url(x.woff2)format("woff2")}', [['image', 'x.woff2']]],
  [
    'a{background:image-set("a.png" 1x,"b.png" 2x)}',
    [
      ['image', 'a.png'],
      ['image', 'b.png'],
    ],
  ],
  ['a{background:-webkit-image-set(url(a.png) 1x)}', [['image', 'a.png']]],
  ['a{content:"url(no.png)"}/* url(no.png) */', []],
  ['@namespace url(http://www.w3.org/1999/xhtml);@charset "utf-8";', []],
  [
    'a{--x:url(v.svg)}@media print{b{cursor:url(c.cur),auto}}',
    [
      ['image', 'v.svg'],
      ['image', 'c.cur'],
    ],
  ],
  ['a{background:url()}', []],
  ['a{background:url(un"closed', []],
  ['@import', []],
])('%j names %j', (css, found) => {
  expect(cssUrls(css).map(({ kind, url }) => [kind, url])).toEqual(found)
})

test('replaces addresses and keeps every other byte', () => {
  const css = '@import "a.css";\n a { background : url( b.png )/* url(b.png) */ }\n@font-face{src:url(c.woff2)}'
  const changed = replaceCssUrls(css, ({ url }) => (url === 'c.woff2' ? undefined : `x/${url}`))
  expect(changed).toBe(
    '@import "x/a.css";\n a { background : url("x/b.png")/* url(b.png) */ }\n@font-face{src:url(c.woff2)}',
  )
})

test('quotes what could end the string', () => {
  expect(replaceCssUrls('a{background:url(x)}', () => 'a"b\\c.png')).toBe('a{background:url("a\\"b\\\\c.png")}')
})
