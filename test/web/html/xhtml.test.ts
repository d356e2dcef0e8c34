import { expect, test } from 'vitest'
import { expandEmptyElements } from '../../../server/web/html/xhtml.ts'

test.each([
  ['<script src="a.js"/><p>x</p>', '<script src="a.js"></script><p>x</p>'],
  ['<div id="a" hidden /><br/><img src="x"/>', '<div id="a" hidden></div><br/><img src="x"/>'],
  ["<a name='x'/>", "<a name='x'></a>"],
  ['<!-- <div/> --><![CDATA[<div/>]]><div/>', '<!-- <div/> --><![CDATA[<div/>]]><div></div>'],
  ['<a title="x/>y">z</a>', '<a title="x/>y">z</a>'],
])('%s', (xhtml, html) => expect(expandEmptyElements(xhtml)).toBe(html))

test.each(['<!--', '<![CDATA[', '<a ', '<a b="', '<!---->'])('a page of nothing but %s takes linear time', part => {
  const startedAt = performance.now()
  expandEmptyElements(part.repeat(300_000))
  expect(performance.now() - startedAt).toBeLessThan(3000)
})
