import { expect, test } from 'vitest'
import { listSections } from '../../server/docs/page-sections.ts'

test('a page is split at its headings into sections of plain text', () => {
  const html =
    '<h1 id="guide">Guide</h1><p>Use <code><span>--a</span></code>, <em>now</em>.</p>\n' +
    '<h2 id="b">B &amp; <wbr>C</h2><table><tr><td>x</td><td>y</td></tr></table><pre><code>&lt;z&gt;</code></pre>' +
    '<h3 id="d">D</h3><h4 id="e">E</h4>e'
  expect(listSections(html)).toEqual([
    { id: '', level: 1, heading: 'Guide', text: 'Use --a, now.' },
    { id: 'b', level: 2, heading: 'B & C', text: 'x y <z>' },
    { id: 'd', level: 3, heading: 'D', text: 'E e' },
  ])
})

test('an escaped entity is unescaped once', () => {
  expect(listSections('<h1>a</h1>&amp;lt;')[0]?.text).toBe('&lt;')
})
