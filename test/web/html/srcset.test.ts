import { expect, test } from 'vitest'
import { replaceSrcset, srcsetCandidates } from '../../../server/web/html/srcset.ts'

test.each([
  ['a.png', ['a.png']],
  ['a.png 1x, b.png 2x', ['a.png', 'b.png']],
  ['a.png 100w,b.png 200w', ['a.png', 'b.png']],
  ['  a.png ,\n b.png  3x ', ['a.png', 'b.png']],
  ['a.png, b.png', ['a.png', 'b.png']],
  ['data:image/png;base64,AAAA 1x, b.png 2x', ['data:image/png;base64,AAAA', 'b.png']],
  ['/w_100,h_50/a.png 1x, /w_200,h_100/a.png 2x', ['/w_100,h_50/a.png', '/w_200,h_100/a.png']],
  ['a.png calc(1px, 2px) 1x, b.png', ['a.png', 'b.png']],
  ['', []],
  [' , , ', []],
])('%j has the addresses %j', (value, urls) => {
  expect(srcsetCandidates(value).map(({ url }) => url)).toEqual(urls)
})

test('keeps descriptors, and drops a candidate together with its descriptor', () => {
  expect(replaceSrcset('a.png 1x, b.png 2x,c.png', url => `x/${url}`)).toBe('x/a.png 1x, x/b.png 2x, x/c.png')
  expect(replaceSrcset('a.png 1x, b.png 2x', url => (url === 'a.png' ? null : url))).toBe('b.png 2x')
  expect(replaceSrcset('a.png 1x', () => null)).toBe('')
})
