import { describe, expect, test } from 'vitest'
import {
  countMissing,
  judgePage,
  readPageText,
  readPageWords,
  readScriptRedirect,
} from '../../../server/web/html/page-text.ts'

const rawText = (text: string) => ({ text: Buffer.from(text).toString('latin1'), charset: 'utf-8' })
const read = (text: string) => readPageText(rawText(text))
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')
const script = '<script src="/app.js"></script>'

test('reads the visible words', () => {
  const page = rawText(
    '<title>no</title><style>no{}</style><h1>Gr&uuml;n &amp; blau</h1><noscript>no <b>no</b></noscript><p>caf\u00e9<script>no()</script><template><p>no</p></template>',
  )
  expect(readPageWords(page)).toEqual(['Grün', '&', 'blau', 'café'])
})

describe('reads what a browser shows without scripts', () => {
  const cases: [fact: string, html: string, words: string][] = [
    ['hidden elements', 'a<div hidden>no<div>no</div></div>b<p hidden="">no</p>c', 'a b c'],
    ['a hidden list item without its end tag', '<ul><li>a<li hidden>no<ul><li>no</ul>no<li>b</ul>c', 'a b c'],
    ['a hidden paragraph that its parent ends', '<div>a<p hidden>no <b>no</b></div>b', 'a b'],
    ['hidden fields have no end', 'a<input hidden>b<img hidden src="x">c', 'a b c'],
    [
      'inline styles',
      'a<i style="color: red; display:none">no</i>b<p style="VISIBILITY: hidden !important">no</p>c',
      'a b c',
    ],
    ['other inline styles', '<p style="display:block">a</p><p style="--x:display:none-ish">b</p>', 'a b'],
    ['a whole page that is hidden waits for its scripts', '<body style="display:none" hidden>a</body>', 'a'],
    ['a closed and an open dialog', '<dialog>no</dialog><dialog open>a</dialog>', 'a'],
    ['a closed popover', '<button popovertarget="x">a</button><div id="x" popover>no</div>', 'a'],
    ['closed details, which open without scripts', '<details><summary>a</summary>b</details>', 'a b'],
    ['inert elements are shown', '<div inert>a</div>', 'a'],
    [
      'a declarative shadow tree',
      '<x-y><template shadowrootmode="open"><p>a</p><template>no</template></template></x-y>b',
      'a b',
    ],
    [
      'attributes of other names',
      '<p aria-hidden="true" data-hidden>a</p><p class="hidden" title=" hidden ">b</p>',
      'a b',
    ],
  ]
  test.each(cases)('%s', (_, html, words) => expect(readPageWords(rawText(html)).join(' ')).toBe(words))
})

test('reads popovers on request', () => {
  const page = rawText('<nav popover>a<i hidden>no</i></nav><p>b</p>')
  expect(readPageWords(page, { withPopovers: true })).toEqual(['a', 'b'])
})

describe('judges whether the HTML is complete without scripts', () => {
  test.each([
    ['a page without scripts', `<p>${words(5)}</p>`, 'complete'],
    ['a long page with scripts', `<p>${words(100)}</p>${script}`, 'complete'],
    [
      'a page with data in a script element',
      '<div id="app"></div><script type="application/ld+json">{}</script>',
      'complete',
    ],
    ['a page that redirects', `<meta http-equiv="refresh" content="0;url=/x">${script}`, 'complete'],
    ['an empty root', `<div id="root"></div>${script}`, 'shell'],
    ['a root with a message', `<div id="app">Loading, please wait a moment</div>${script}`, 'shell'],
    ['an empty root of unknown name', `<div id="whatever"></div>${script}`, 'shell'],
    ['a frame around an empty root', `<nav>${words(90)}</nav><div id="redoc-container"></div>${script}`, 'suspect'],
    ['a frame around an empty main', `<nav>${words(90)}</nav><main></main>${script}`, 'suspect'],
    ['a short page', `<p>${words(30)}</p>${script}`, 'suspect'],
  ])('%s', (_, html, verdict) => {
    expect(judgePage(read(html))).toBe(verdict)
  })
})

test('pages of one template have the same scripts', () => {
  const a = read('<script src="../b.js?v=1"></script><script src="a.js"></script><script>1</script>')
  const b = read('<script src="/x/a.js"></script><script>2</script><script src="b.js"></script>')
  expect(a.scripts).toEqual(['', 'a.js', 'b.js'])
  expect(b.scripts).toEqual(a.scripts)
})

test('counts missing words, each as often as it occurs', () => {
  expect(countMissing(['a', 'A', 'b'], ['a', 'c'])).toBe(2)
  expect(countMissing([], ['a'])).toBe(0)
})

const readRedirect = (text: string) => readScriptRedirect({ text, charset: 'utf-8' })?.text ?? null

test.each([
  ['<script>location.href="/new/"</script>', '/new/'],
  [
    '<!doctype html><title>Old</title><script type="text/javascript">window.location = "../b?c=1&d";</script>',
    '../b?c=1&amp;d',
  ],
  ['<p>Moving you.</p><script>location.replace(`https://other.example/x`)</script>', 'https://other.example/x'],
])('%s leads to %s', (text, address) => {
  expect(readRedirect(text)).toContain(`content="0; url=${address}"`)
  expect(readRedirect(text)).toContain(`<a href="${address}">`)
})

test.each([
  '<p>No script</p>',
  '<script src="a.js"></script><script>location.href="/x"</script>',
  '<script>if (old) location.href="/x"</script>',
  '<script>button.onclick = () => location.href="/x"</script>',
  `<p>${'A whole page. '.repeat(40)}</p><script>location.href="/x"</script>`,
  '<script>const base = location.href</script>',
  '<script>location.href="/next/" + Math.random()</script>',
  '<script>location.href="/x".concat(1)</script>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the page contains it
  '<script>location.replace(`/${page}`)</script>',
  '<script>location.href="\\/x"</script>',
  '<script>location.href="chrome://crash"</script>',
  '<script>location.href="javascript:alert(1)"</script>',
  '<script>for (;;) location.href="/x"</script>',
  '<script>try { location.href="/x" } catch {}</script>',
])('%s is not a redirect', text => expect(readRedirect(text)).toBeNull())
