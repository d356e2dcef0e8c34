import { expect, test } from 'vitest'
import { rewriteContent } from '../../../server/export/print/page-content.ts'

const rules = {
  anchor: (id: string) => `n-${id}`,
  link: (href: string) => (href.startsWith('#') ? `#n-${href.slice(1)}` : null),
  picture: (address: string) => (address.startsWith('http') ? null : `/${address}`),
}
const content = (page: string) => rewriteContent(page, rules).replaceAll(/\s+/g, ' ').trim()

test.each([
  ['only the main part', '<nav>menu</nav><main><p>text</p></main><footer>foot</footer>', '<p>text</p>'],
  ['main by its role, without what is around', '<div><div role=main><p>a</div>b</div>', '<p>a'],
  [
    'the body without menus, when there is no main part',
    '<html><head><title>T</title></head><body><header>h</header><nav>m</nav><p>text</p></body></html>',
    '<p>text</p>',
  ],
  ['an aside that is a note', '<main><aside class="note">n</aside></main>', '<aside class="note">n</aside>'],
  [
    'no controls, comments and scripts',
    '<main><!-- c --><button>b</button><input><script>s</script><p onclick=x()>t</p></main>',
    '<p>t</p>',
  ],
  ['no links to headings', '<main><h2 id=a>A<a class="headerlink" href="#a">#</a></h2></main>', '<h2 id="n-a">A</h2>'],
  ['well-formed markup', '<main><div><b>a</div></i></main>', '<div><b>a</b></div>'],
  [
    'no address that is not in the file',
    '<main><a href="x.zip">z</a><a href="#y">y</a><img src=a.png loading=lazy srcset=b><img src=http://h/></main>',
    '<a>z</a><a href="#n-y">y</a><img src="/a.png">',
  ],
  [
    'open details',
    '<main><details><summary>s</summary>t</details></main>',
    '<details open=""><summary>s</summary>t</details>',
  ],
  [
    'all panels, each under the name of its tab',
    '<main><ul role=tablist><li role=tab>npm</li><li role=tab>yarn</li></ul><div role=tabpanel>a</div><div role=tabpanel hidden>b</div></main>',
    '<ul></ul><div><p class="quire-tab">npm</p>a</div><div><p class="quire-tab">yarn</p>b</div>',
  ],
  [
    'no hidden parts',
    '<main><p hidden>a</p><p style="display: none">b</p><p aria-hidden=true>c</p><p>d</p></main>',
    '<p>d</p>',
  ],
  [
    'dark letters of code only',
    '<main><pre><b style="color:#fff;background:#000">a</b><b style="color:#d73a49">b</b></pre><b style="color:#123">c</b></main>',
    '<pre><b>a</b><b style="color:#d73a49">b</b></pre><b>c</b>',
  ],
  [
    'drawings as they are, without addresses',
    '<main><svg id=s viewBox="0 0 1 1"><use href="#i"/><image href="http://h/a.png"/></svg></main>',
    '<svg id=s viewBox="0 0 1 1"><use href="#i"/><image /></svg>',
  ],
])('keeps %s', (_, page, wanted) => {
  expect(content(page)).toBe(wanted)
})
