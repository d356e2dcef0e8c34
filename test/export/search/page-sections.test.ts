import { describe, expect, test } from 'vitest'
import { readPageSections } from '../../../server/export/search/page-sections.ts'

const read = (text: string, charset = 'utf-8') =>
  readPageSections({ text: Buffer.from(text).toString('latin1'), charset })
/** Sections as `#anchor heading: text`. */
const outline = (body: string) =>
  read(`<title>Page</title><body>${body}`).sections.map(({ anchor, heading, text }) => `#${anchor} ${heading}: ${text}`)

describe('sections of a page', () => {
  const cases: { fact: string; given: string; want: string[] }[] = [
    {
      fact: 'begin at headings, with their ids',
      given: '<h1 id=a>One</h1>top<h2 id=b>Two</h2>x<p>y</p>',
      want: ['# One: top', '#b Two: x y'],
    },
    {
      fact: 'the id may be on the element that contains the heading',
      given: '<h1>One</h1><section id="b"><h2>Two<a class="headerlink" href="#b">¶</a></h2>text</section>',
      want: ['# One: ', '#b Two: text'],
    },
    {
      fact: 'the id may be on an empty link before the heading',
      given: '<h1>One</h1><p>text</p><a name="b"></a><h2>Two</h2>x',
      want: ['# One: text', '#b Two: x'],
    },
    {
      fact: 'the id may be inside the heading',
      given: '<h1>One</h1><h2><a id="b"></a>Two</h2>x<h2>Three <a href="#t%C3%BC">#</a></h2>y',
      want: ['# One: ', '#b Two: x', '#tü Three: y'],
    },
    {
      fact: 'an id before other text is not the id of the heading',
      given: '<h1>One</h1><p id="note">text</p><h2>Two</h2>x',
      want: ['# One: text', '# Two: x'],
    },
    {
      fact: 'an id in a menu before a heading is not the id of the heading',
      given: '<h1>One</h1>text<nav><a name="b"></a></nav><h2>Two</h2>x',
      want: ['# One: text', '# Two: x'],
    },
    {
      fact: 'declarative shadow trees are part of the page, and other templates are not',
      given: '<h1>One</h1><x-y><template shadowrootmode="open"><p>a</p></template></x-y><template>no</template>b',
      want: ['# One: a b'],
    },
    {
      fact: 'terms of a definition list with an id are headings',
      given: '<h1>One</h1><dl><dt id="f"><code>f(</code>x<code>)</code></dt><dd>does it</dd><dt>plain</dt></dl>',
      want: ['# One: ', '#f f(x): does it plain'],
    },
    {
      fact: 'text before the main heading belongs to it',
      given: '<p>before</p><h1 id=a>One</h1>x',
      want: ['# One: before x'],
    },
    {
      fact: 'only the main element counts if there is one, without its menus',
      given:
        'no <h2>No</h2><main><nav>no</nav><header><h1>One</h1></header>yes<aside>no</aside></main><footer>no</footer>',
      want: ['# One: yes'],
    },
    {
      fact: 'role=main is the main element',
      given: 'no <div role="main"><div>yes</div></div> no',
      want: ['# : yes'],
    },
    {
      fact: 'without a main element, the articles count',
      given: 'no <article>one</article> no <article>two</article>',
      want: ['# : one two'],
    },
    {
      fact: 'without a main element and articles, all text except menus, headers and footers counts',
      given:
        '<header>no</header><nav>no</nav><div role="navigation">no</div>yes<script>no</script><style>no</style><footer>no</footer>',
      want: ['# : yes'],
    },
    { fact: 'an empty main element is ignored', given: 'yes <main><nav>no</nav></main>', want: ['# : yes'] },
    {
      fact: 'block elements separate words, inline elements do not',
      given: '<p>one</p><p>tw<b>o</b></p><ul><li>three<li>four</ul><td>a&nbsp;&lt;b&gt;</td>',
      want: ['# : one two three four a <b>'],
    },
  ]
  test.each(cases)('$fact', ({ given, want }) => expect(outline(given)).toEqual(want))
})

test('the name of a page is its main heading or else its title, and its language is known', () => {
  expect(read('<html lang="de-AT"><title>T &amp; U</title><h1>Name</h1>')).toMatchObject({
    name: 'Name',
    title: 'T & U',
    language: 'de',
  })
  expect(read('<title>T &amp; U</title><h2>Not this</h2>')).toMatchObject({ name: 'T & U', language: '' })
})

test('reads any encoding', () => {
  const text = Buffer.from([...Buffer.from('<h1>'), 0xc4, 0xe5, ...Buffer.from('</h1>')]).toString('latin1')
  expect(readPageSections({ text, charset: 'windows-1251' }).name).toBe('Де')
})
