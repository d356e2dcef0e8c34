import { describe, expect, test } from 'vitest'
import { rawOf } from '../../../server/web/html/text-encoding.ts'
import { twinPath, writeMarkdown } from '../../../server/web/markdown/page-markdown.ts'

const place = { path: 'guide/start.html', address: null, hasTwin: (path: string) => path !== 'guide/none.html' }

/** Returns the Markdown of a content, without the front matter. */
function convert(html: string): string {
  const { text } = writeMarkdown(rawOf(`<main><h1>T</h1>${html}</main>`), place)
  return text.replace(/^---\n.*?\n---\n\n# T\n/s, '').trim()
}

const cases: readonly [fact: string, html: string, markdown: string][] = [
  [
    'paragraphs and marks',
    '<p>A <b>bold</b>  <em>word</em>,\n<code>x|`y`</code></p><p>B</p>',
    'A **bold** *word*, `` x|`y` ``\n\nB',
  ],
  [
    'an exclamation mark before a link',
    'a !<a href="x">b</a>! <b>!<a href="y">c</a></b>',
    'a \\![b](x)! **\\![c](y)**',
  ],
  ['spaces inside of marks outside', 'a<strong> b </strong>c', 'a **b** c'],
  [
    'signs that would be markup',
    '<p>2 * 3 <x> a_b _c_ [d](e)</p><p># no</p><p>1. no</p>',
    '2 \\* 3 a_b \\_c_ \\[d](e)\n\n\\# no\n\n1\\. no',
  ],
  [
    'links to twins',
    '<a href="../a/b.html?q=1#c">x</a> <a href="none.html">y</a> <a href="https://e.com/z.html">z</a>',
    '[x](../a/b.md?q=1#c) [y](none.html) [z](https://e.com/z.html)',
  ],
  [
    'no links that name the address of a heading',
    '<h2>Use it<a class="headerlink" href="#u">¶</a></h2><h3><a href="#m">Title</a></h3>',
    '## Use it\n\n### Title',
  ],
  [
    'code with the language of its highlighter',
    '<div class="highlight-python3 notranslate"><div class="highlight"><pre>a = 1\n<span>b</span>\n</pre></div></div>',
    '```python3\na = 1\nb\n```',
  ],
  [
    'lines of code in elements, and no line numbers',
    '<pre data-language="sh"><code><div><span class="lineno">1</span>a</div><div>b</div></code></pre>',
    '```sh\na\nb\n```',
  ],
  [
    'code beside a column of line numbers',
    '<table class="highlighttable"><tr><td class="linenos"><pre>1</pre></td><td class="code"><pre>x</pre></td></tr></table>',
    '```\nx\n```',
  ],
  ['a fence longer than those in the code', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
  ['lists in lists', '<ol start="3"><li>a<ul><li>b</li></ul><li><p>c</p><p>d</p></ol>', '3. a\n   - b\n\n4. c\n\n   d'],
  ['lists of tasks', '<ul><li><input type=checkbox checked> a</li></ul>', '- [x] a'],
  [
    'definitions',
    '<dl><dt>a</dt><dd>b</dd><dt class="sig">f(<em>x</em>)<a class="headerlink" href="#f">¶</a></dt><dd><p>c</p><p>d</p></dd></dl>',
    '- **a**: b\n\n- `f(x)`\n\n  c\n\n  d',
  ],
  [
    'tables, with cells that span',
    '<table><thead><tr><th>a<th>b</thead><tr><td rowspan=2>1<td>2|3<tr><td>4<br>5</table>',
    '| a | b |\n| --- | --- |\n| 1 | 2\\|3 |\n|  | 4<br>5 |',
  ],
  ['tables without a heading', '<table><tr><td>1<td>2</table>', '|  |  |\n| --- | --- |\n| 1 | 2 |'],
  [
    'boxes with their title',
    '<div class="admonition warning"><p class="admonition-title">Warning</p><p>Hot</p></div>',
    '> **Warning**\n>\n> Hot',
  ],
  ['boxes without a title', '<aside class="starlight-aside tip"><p>Try</p></aside>', '> **Tip**\n>\n> Try'],
  [
    'panels of tabs below their labels, also hidden ones',
    '<ul role="tablist"><li role="tab">npm</li><li role="tab">yarn</li></ul><div role="tabpanel"><p>a</p></div><div role="tabpanel" hidden><p>b</p></div>',
    '**npm**\n\na\n\n**yarn**\n\nb',
  ],
  [
    'formulas of KaTeX',
    '<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2_a</annotation></semantics></math></span><span aria-hidden="true">x2</span></span>',
    '$x^2_a$',
  ],
  [
    'formulas before MathJax runs',
    '<span class="math">\\(a_1*b\\)</span><div class="math">\\[x\\]</div>',
    '$a_1*b$\n\n$$\nx\n$$',
  ],
  ['pictures with their text', '<img src="../a.png" alt="A b"><img src="data:,x" alt="c">', '![A b](../a.png)c'],
  [
    'no menus, buttons and hidden parts',
    '<nav>n</nav><button>b</button><p hidden>h</p><p>x</p><script>s</script>',
    'x',
  ],
  [
    'a block of code in two languages as two blocks',
    '<pre><input><code class="language-mjs">a</code><code class="language-cjs">b</code></pre>',
    '```mjs\na\n```\n\n```cjs\nb\n```',
  ],
  [
    'headings that open a part of the page',
    '<details open><summary><h4>fn x</h4></summary><p>y</p></details><details><summary>More</summary>z</details>',
    '#### fn x\n\ny\n\n**More**\n\nz',
  ],
  ['cards', '<a href="b.html"><h3>Card</h3><p>Text</p></a>', '[Card Text](b.md)'],
]

describe('writes as Markdown', () => {
  test.each(cases)('%s', (_, html, markdown) => {
    expect(convert(html)).toBe(markdown)
  })
})

test('the front matter has title, address and date of the page', () => {
  const html =
    '<title>T - Site</title><meta name="description" content="About"><meta property="article:modified_time" content="2026-01-02T03:04:05Z"><p>Text'
  const page = writeMarkdown(rawOf(html), { ...place, address: 'https://docs.example.com/a' })
  expect(page).toEqual({
    title: 'T - Site',
    description: 'About',
    text: '---\ntitle: "T - Site"\nurl: https://docs.example.com/a\ndate: 2026-01-02\n---\n\n# T - Site\n\nText\n',
  })
})

test('a page without a main part is read without its header and menus', () => {
  expect(writeMarkdown(rawOf('<header>Logo</header><h1>A</h1>b<footer>c</footer>'), place).text).toMatch(
    /\n\n# A\n\nb\n$/,
  )
})

test('a title that the first heading repeats is not written twice', () => {
  expect(writeMarkdown(rawOf('<title>A - Site</title><div class="menu">m</div><h2>A</h2>b'), place).text).toBe(
    '---\ntitle: "A - Site"\n---\n\n## A\n\nb\n',
  )
})

test('a page with a main heading for each section has the title of its head', () => {
  const convertPage = (headings: string) =>
    writeMarkdown(rawOf(`<title>Types - Docs</title><main>${headings}</main>`), place).text
  expect(convertPage('<h1>Values</h1><h1>Keys</h1>')).toBe(
    '---\ntitle: "Types - Docs"\n---\n\n# Types - Docs\n\n# Values\n\n# Keys\n',
  )
  expect(convertPage('<h1>Types</h1><h1>Keys</h1>')).toBe('---\ntitle: "Types"\n---\n\n# Types\n\n# Keys\n')
})

test('a head that never ends is no content', () => {
  expect(writeMarkdown(rawOf('<html><head><title>A</title><style>s</style><body><main>b'), place).text).toMatch(
    /\n\n# A\n\nb\n$/,
  )
})

test('broken and deeply nested pages end', () => {
  for (const html of ['<div>'.repeat(20_000), '<ul><li>'.repeat(5000), '<b>'.repeat(20_000), '<a href=x>'.repeat(5000)])
    expect(writeMarkdown(rawOf(`${html}x`), place).text).toContain('x')
})

test('tables in tables end, although the innermost are lost', () => {
  expect(writeMarkdown(rawOf('<table><tr><td>'.repeat(2000)), place).text).toBe('---\ntitle: ""\n---\n\n\n')
})

test('twins have the name of their page', () => {
  expect(['a/b.html', 'c.xhtml', 'd.htm'].map(twinPath)).toEqual(['a/b.md', 'c.md', 'd.md'])
})
