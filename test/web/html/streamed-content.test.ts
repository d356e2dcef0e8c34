import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPageWords } from '../../../server/web/html/page-text.ts'
import { resolveStreamedContent } from '../../../server/web/html/streamed-content.ts'
import { rawOf } from '../../../server/web/html/text-encoding.ts'

const resolve = (html: string) => Buffer.from(resolveStreamedContent(rawOf(html)).text, 'latin1').toString()
const wait = (id: string, fallback: string) => `<!--$?--><template id="B:${id}"></template>${fallback}<!--/$-->`
const park = (id: string, content: string) => `<div hidden id="S:${id}">${content}</div>`
const call = (code: string) => `<script>${code}</script>`

/** Definitions as React 18 and 19 send them, shortened. They must stay, because later scripts use them. */
const react18 = 'function $RC(a,b){b=document.getElementById(b);b.parentNode.removeChild(b)};'
const react19 = '$RB=[];$RV=function(a){a.length=0};$RC=function(a,b){$RB.push(a,b)};'

describe('moves streamed content into its place', () => {
  const cases: { fact: string; html: string; want: string }[] = [
    {
      fact: 'by the instruction of React 18, without the call that would throw without its elements',
      html: `<main>${wait('0', '<p>Loading...</p>')}</main>${park('0', '<h1>Gr\u00fcn</h1>')}${call(`${react18}$RC("B:0","S:0")`)}`,
      want: `<main><!--$--><h1>Gr\u00fcn</h1><!--/$--></main><script>${react18}</script>`,
    },
    {
      fact: 'by the instruction of React 19',
      html: `<main>${wait('0', 'Loading')}</main>${park('0', 'text')}${call(`${react19}$RC("B:0","S:0")`)}`,
      want: `<main><!--$-->text<!--/$--></main><script>${react19}</script>`,
    },
    {
      fact: 'also a boundary in the content of another, in either order',
      html: `${wait('0', 'a')}${park('0', `<b>${wait('1', 'x')}</b>`)}${park('1', 'in')}${call('$RC("B:1","S:1")')}${call('$RC("B:0","S:0")')}`,
      want: '<!--$--><b><!--$-->in<!--/$--></b><!--/$--><script></script><script></script>',
    },
    {
      fact: 'a segment in the place of its placeholder',
      html: `${wait('0', 'a')}${park('0', '<ul><template id="P:1"></template><li>3</li></ul>')}${park('1', '<li>1</li><li>2</li>')}${call('$RS=function(a,b){};$RS("S:1","P:1")')}${call(`${react19}$RC("B:0","S:0")`)}`,
      want: `<!--$--><ul><li>1</li><li>2</li><li>3</li></ul><!--/$--><script>$RS=function(a,b){};</script><script>${react19}</script>`,
    },
    {
      fact: 'rows of a table, which are parked in a table',
      html: `<table><tbody>${wait('0', '<tr><td>x</td></tr>')}</tbody></table><table hidden><tbody id="S:0"><tr><td>1</td></tr></tbody></table>${call('$RC("B:0","S:0")')}`,
      want: '<table><tbody><!--$--><tr><td>1</td></tr><!--/$--></tbody></table><table hidden></table><script></script>',
    },
    {
      fact: 'in place of a fallback with boundaries, activities and failed parts',
      html: `${wait('0', `<!--&--><i>${wait('1', 'x')}</i><!--/&--><!--$!--><template></template>y<!--/$-->z`)}after${park('0', 'content')}${call('$RC("B:0","S:0")')}`,
      want: '<!--$-->content<!--/$-->after<script></script>',
    },
    {
      fact: 'with a prefix of the identifiers',
      html: `<!--$?--><template id="docsB:0"></template>x<!--/$--><div hidden id="docsS:0">y</div>${call('$RC("docsB:0","docsS:0")')}`,
      want: '<!--$-->y<!--/$--><script></script>',
    },
    {
      fact: 'from the templates of Solid, also into a place in such a template, and keeps the call that reports it',
      html: `<main><template id="pl-0"></template><p>Loading</p><!--pl-0-->x</main><template id="0">a<template id="pl-01"></template><!--pl-01-->b</template>${call('$df("0");function $df(e){}')}<template id="01">in</template>${call('$df("01");done()')}`,
      want: '<main>ainbx</main><script>_$HY.fe("0");function $df(e){}</script><script>_$HY.fe("01");done()</script>',
    },
    {
      fact: 'with several instructions in one script',
      html: `${wait('0', 'a')}${wait('1', 'b')}${park('0', '0')}${park('1', '1')}${call('$RC("B:0","S:0");$RC("B:1","S:1");start()')}`,
      want: '<!--$-->0<!--/$--><!--$-->1<!--/$--><script>start()</script>',
    },
  ]
  test.each(cases)('$fact', ({ html, want }) => expect(resolve(html)).toBe(want))
})

test('adds the style sheets of the content by their precedence', () => {
  const head =
    '<head><link rel="stylesheet" href="/a.css" data-precedence="low"><link rel="stylesheet" href="/z.css" data-precedence="high"></head>'
  const late = '<style media="not all" data-precedence="low" data-href="x">b{}</style>'
  const sheets = '[["/a.css","low"],["/b.css?x=1\\u0026y","low","media","print"],["/n.css","new"]]'
  const page = `${head}${wait('0', 'x')}${late}${park('0', 'y')}${call(`$RR("B:0","S:0",${sheets})`)}`
  expect(resolve(page)).toBe(
    '<head><link rel="stylesheet" href="/a.css" data-precedence="low">' +
      '<link rel="stylesheet" href="/b.css?x=1&amp;y" data-precedence="low" media="print"/>' +
      '<style  data-precedence="low" data-href="x">b{}</style>' +
      '<link rel="stylesheet" href="/z.css" data-precedence="high"><link rel="stylesheet" href="/n.css" data-precedence="new"/></head>' +
      '<!--$-->y<!--/$--><script></script>',
  )
})

test('a page of a Next.js app has its article, its details and its table rows in their places', () => {
  // Sent by `next start` of Next.js 16.4.6 with React 19.3.1, for a page with a loading file and four Suspense boundaries, one
  // of them in a table. Only the scripts with the app's data and with the addresses of its chunks are left out.
  const sent = readFileSync(join(import.meta.dirname, 'fixtures/next-16-streamed.html'), 'utf8')
  expect(sent).toContain('Loading the guide...')
  const resolved = resolve(sent)
  const main = /<main>.*<\/main>/.exec(resolved)?.[0] ?? ''
  expect(main.replaceAll(/<[^!].*?>/g, ' ').replaceAll(/\s+/g, ' ')).toMatchInlineSnapshot(
    `" <!--$--><!--$--> Installing Installing step 1 explains how a reader of the example documentation completes part 1 of installing without help. Installing step 2 explains how a reader of the example documentation completes part 2 of installing without help. <!--$--> Details <!--$--> Installing<!-- --> row <!-- -->1 value <!-- -->1 Installing<!-- --> row <!-- -->2 value <!-- -->2 Installing<!-- --> row <!-- -->3 value <!-- -->3 <!--/$--> Details of Installing step 1 explains how a reader of the example documentation completes part 1 of details of installing without help. Details of Installing step 2 explains how a reader of the example documentation completes part 2 of details of installing without help. <!--/$--><!--$--> More <!--/$--> <!--$--><!--/$--><!--/$--><!--/$--> "`,
  )
  expect(resolved).not.toMatch(/Loading|<template|id="[SBP]:|\$R[CS]\("/)
})

test('a page of a Solid app has its article and its rows in their places', () => {
  // Sent by renderToStream of solid-js 1.9.19, for a page with two Suspense boundaries, one in the content of the other.
  const sent = readFileSync(join(import.meta.dirname, 'fixtures/solid-1-streamed.html'), 'utf8')
  expect(readPageWords(rawOf(sent)).join(' ')).toMatchInlineSnapshot(
    `"Clicked 0 Late This article came late and explains everything that a reader of the documentation needs to know about streams in detail Row one Row two Row three end"`,
  )
  expect(resolve(sent)).not.toMatch(/Loading|<template|\$df\("/)
})

describe('leaves the page as it is', () => {
  const cases: [fact: string, html: string][] = [
    ['a failed boundary keeps its fallback', `${wait('0', 'x')}${call('$RX=function(a){};$RX("B:0","12345")')}`],
    ['the content never came', `${wait('0', 'x')}${call('$RC("B:0","S:0")')}`],
    [
      'a place in a template that nothing moves',
      `<template>${wait('0', 'x')}</template>${park('0', 'y')}${call('$RC("B:0","S:0")')}`,
    ],
    [
      'a place of Solid without its end',
      '<p><template id="pl-0"></template>x</p><!--pl-0--><template id="0">y</template><script>$df("0")</script>',
    ],
    ['the boundary is not there', `${park('0', 'x')}${call('$RC("B:0","S:0")')}`],
    ['the instruction comes before the content', `${wait('0', 'x')}${call('$RC("B:0","S:0")')}${park('0', 'y')}`],
    ['the boundary is complete', `<!--$-->x<!--/$-->${park('0', 'y')}${call('$RC("B:0","S:0")')}`],
    ['the boundary never ends', `<!--$?--><template id="B:0"></template>x${park('0', 'y')}${call('$RC("B:0","S:0")')}`],
    ['a page about streaming', `<pre>${wait('0', 'x')}$RC("B:0","S:0")</pre>${park('0', 'y')}`],
    ['an instruction in a function', `${wait('0', 'x')}${park('0', 'y')}${call('function f(){$RC("B:0","S:0")}')}`],
    ['data', `${wait('0', 'x')}${park('0', 'y')}<script type="application/json">$RC("B:0","S:0")</script>`],
    [
      'an instruction in a template',
      `${wait('0', 'x')}${park('0', 'y')}<template>${call('$RC("B:0","S:0")')}</template>`,
    ],
  ]
  test.each(cases)('%s', (_, html) => expect(resolve(html)).toBe(html))
})

describe('ends quickly on a hostile page', () => {
  test('with contents that contain each other', () => {
    const html = `<p>a</p>${park('0', wait('0', 'x'))}${park('1', wait('2', 'x'))}${park('2', wait('1', 'x'))}`
    const calls = ['$RC("B:0","S:0")', '$RC("B:1","S:1")', '$RC("B:2","S:2")'].map(call).join('')
    expect(readPageWords(rawOf(html + calls))).toEqual(['a'])
  })

  test('with 5,000 nested contents', () => {
    const count = 5000
    const parts = Array.from({ length: count }, (_, at) => park(String(at), `${at} ${wait(String(at + 1), 'x')}`))
    const calls = Array.from({ length: count }, (_, at) => call(`$RC("B:${at}","S:${at}")`))
    const words = readPageWords(rawOf(wait('0', 'x') + parts.join('') + calls.join('')))
    expect(words).toHaveLength(count + 1)
    expect(words.slice(0, 2)).toEqual(['0', '1'])
  })

  test('with boundaries and contents that overlap', () => {
    const open = Array.from(
      { length: 2000 },
      (_, at) => `<!--$?--><template id="B:${at}"></template><div id="S:${at}">`,
    )
    const close = Array.from({ length: 2000 }, () => '<!--/$--></div>')
    const calls = Array.from({ length: 2000 }, (_, at) => call(`$RC("B:${at}","S:${1999 - at}")`))
    const html = open.join('') + close.join('') + calls.join('')
    expect(resolve(html).length).toBeLessThan(2 * html.length)
  })
})
