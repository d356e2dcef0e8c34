import { expect, test } from 'vitest'
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
