import { expect, test } from 'vitest'
import { expandEmptyElements } from '../../../server/web/html/xhtml.ts'
import { callInThread } from '../../support/thread.ts'

type Module = typeof import('../../../server/web/html/xhtml.ts')

test.each([
  ['<script src="a.js"/><p>x</p>', '<script src="a.js"></script><p>x</p>'],
  ['<div id="a" hidden /><br/><img src="x"/>', '<div id="a" hidden></div><br/><img src="x"/>'],
  ["<a name='x'/>", "<a name='x'></a>"],
  ['<!-- <div/> --><![CDATA[<div/>]]><div/>', '<!-- <div/> --><![CDATA[<div/>]]><div></div>'],
  ['<a title="x/>y">z</a>', '<a title="x/>y">z</a>'],
])('%s', (xhtml, html) => expect(expandEmptyElements(xhtml)).toBe(html))

test.each(['<!--', '<![CDATA[', '<a ', '<a b="', '<!---->'])(
  'a page that only repeats %s takes linear time',
  async part => {
    // In quadratic time, this page would exceed the timeout by far.
    const page = part.repeat(1_000_000)
    const expand = (module: Module, text: string) => module.expandEmptyElements(text).length
    expect(await callInThread('server/web/html/xhtml.ts', expand, page)).toBe(page.length)
  },
)
