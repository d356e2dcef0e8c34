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
      fact: 'the address may stand on what holds the heading',
      given: '<h1>One</h1><section id="b"><h2>Two<a class="headerlink" href="#b">¶</a></h2>text</section>',
      want: ['# One: ', '#b Two: text'],
    },
    {
      fact: 'or on an empty link before it',
      given: '<h1>One</h1><p>text</p><a name="b"></a><h2>Two</h2>x',
      want: ['# One: text', '#b Two: x'],
    },
    {
      fact: 'or inside the heading',
      given: '<h1>One</h1><h2><a id="b"></a>Two</h2>x<h2>Three <a href="#t%C3%BC">#</a></h2>y',
      want: ['# One: ', '#b Two: x', '#tü Three: y'],
    },
    {
      fact: 'an id before other text is not its address',
      given: '<h1>One</h1><p id="note">text</p><h2>Two</h2>x',
      want: ['# One: text', '# Two: x'],
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
      fact: 'only main counts where there is one, without menus in it',
      given:
        'no <h2>No</h2><main><nav>no</nav><header><h1>One</h1></header>yes<aside>no</aside></main><footer>no</footer>',
      want: ['# One: yes'],
    },
    {
      fact: 'role=main is main',
      given: 'no <div role="main"><div>yes</div></div> no',
      want: ['# : yes'],
    },
    {
      fact: 'else the articles',
      given: 'no <article>one</article> no <article>two</article>',
      want: ['# : one two'],
    },
    {
      fact: 'else all but menus and the like',
      given:
        '<header>no</header><nav>no</nav><div role="navigation">no</div>yes<script>no</script><style>no</style><footer>no</footer>',
      want: ['# : yes'],
    },
    { fact: 'an empty main is none', given: 'yes <main><nav>no</nav></main>', want: ['# : yes'] },
    {
      fact: 'words end where elements end, but not where words are only marked',
      given: '<p>one</p><p>tw<b>o</b></p><ul><li>three<li>four</ul><td>a&nbsp;&lt;b&gt;</td>',
      want: ['# : one two three four a <b>'],
    },
  ]
  test.each(cases)('$fact', ({ given, want }) => expect(outline(given)).toEqual(want))
})

test('a page has the name of its main heading, else its title, and its language', () => {
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
