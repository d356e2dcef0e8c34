import { expect, test } from 'vitest'
import { scanHtml } from '../../../server/web/html/html-scan.ts'
import { createMarkReader } from '../../../server/web/html/page-marks.ts'
import { rawOf } from '../../../server/web/html/text-encoding.ts'

function marksOf(html: string): number[] {
  const raw = rawOf(html)
  const reader = createMarkReader(raw)
  scanHtml(raw.text, reader.handler)
  return reader.finish()
}

test.each([
  ['text', '<p>one</p>', '<p>other</p>'],
  ['links', '<a href="a">one</a>', '<a href="b">one</a><a href="c">two</a>'],
  ['numbers in names', '<div data-chart="1" class="chart-1"></div>', '<div data-chart="2" class="chart-27"></div>'],
  ['classes of elements with content', '<div class="one">x</div>', '<div class="two">x</div>'],
])('pages that differ only in %s have the same marks', (_, one, other) => {
  expect(marksOf(one)).toEqual(marksOf(other))
})

test.each([
  ['a custom element', '<p>x</p><api-table>x</api-table>'],
  ['a data attribute', '<p data-from="/a.json">x</p>'],
  ['an event attribute', '<p onclick="go()">x</p>'],
  ['an empty element', '<p>x</p><div id="changes"> </div>'],
  ['a layout', '<main class="blog"><p>x</p></main>'],
  ['a level of headings', '<p>x</p><h3>x</h3>'],
  ['a search field', '<p>x</p><input type="search">'],
])('%s is a mark', (_, html) =>
  expect(marksOf(html).filter(mark => !marksOf('<p>x</p>').includes(mark))).not.toEqual([]),
)

test('a page has a limited number of marks', () => {
  const html = Array.from({ length: 500 }, (_, index) => `<x-${'abcdefghij'[index % 10]?.repeat(1 + index)}></x-y>`)
  expect(marksOf(html.join(''))).toHaveLength(64)
})
