import { describe, expect, test } from 'vitest'
import { readPageLinks } from '../../../server/web/html/page-links.ts'
import { rawOf } from '../../../server/web/html/text-encoding.ts'

test.each(['', '<base href="/elsewhere/">'])(
  'references to parts of the same page are not files to fetch: %s',
  base => {
    const html = `${base}<svg style="fill:url(#a)"><use href="#b"/></svg><style>p { mask: url("#c") } i { mask: url(d.png) }</style>`
    const { assets } = readPageLinks(rawOf(html), new URL('http://docs.example.com/guide/start'))
    expect(assets.map(({ url }) => url.pathname)).toEqual([base ? '/elsewhere/d.png' : '/guide/d.png'])
  },
)

const url = new URL('https://docs.example.com/')

function read(html: string) {
  const { links, navigation } = readPageLinks(rawOf(html), url)
  return { links: links.map(({ pathname }) => pathname), inside: [...navigation].map(href => new URL(href).pathname) }
}

describe('links of the navigation', () => {
  test.each([
    ['a sidebar in nav', '<nav class="md-nav"><ul><li><a href="/in">x</a></ul></nav><p><a href="/out">y</a>'],
    ['a bar in header', '<header><div><a href="/in">x</a></div></header><main><a href="/out">y</a></main>'],
    ['a sidebar in aside', '<aside class=sidebar><a href=/in>x</a></aside><article><a href=/out>y</a></article>'],
    ['a menu element', '<menu><li><a href="/in">x</a></menu><a href="/out">y</a>'],
    [
      'a role',
      '<div class="wy-menu" role="navigation"><div><a href="/in">x</a></div></div><div><a href="/out">y</a></div>',
    ],
    ['a role without quotes', '<UL ROLE=Tree><LI><A HREF=/in>x</A></UL><A HREF=/out>y</A>'],
    ['nested navigation', '<nav><nav>z</nav><a href="/in">x</a></nav><a href="/out">y</a>'],
    ['navigation with elements that are not closed', '<nav><p><div><a href="/in">x</a></nav><a href="/out">y</a>'],
    ['a page whose body has the link first', '<a href="/out">y</a><a href="/in">x</a><nav><a href="/in">x</a></nav>'],
    ['an area of a picture', '<nav><map><area href="/in"></map></nav><a href="/out">y</a>'],
  ])('%s', (_, html) => {
    const { links, inside } = read(html)
    expect(inside).toEqual(['/in'])
    expect(links.sort()).toEqual(['/in', '/out'])
  })

  test.each([
    ['a link with another role', '<div role="main"><a role="button" href="/out">y</a></div>'],
    ['an end tag without a start tag', '</nav></header><a href="/out">y</a>'],
    ['the word in an attribute', '<div title="x role=navigation"><a href="/out">y</a></div>'],
    ['a file of the navigation', '<nav><img src="/x.png"></nav><a href="/out">y</a>'],
  ])('none: %s', (_, html) => {
    expect(read(html)).toEqual({ links: ['/out'], inside: [] })
  })
})
