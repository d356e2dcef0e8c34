import { expect, test } from 'vitest'
import { placesOf, scriptFiles } from '../../../server/web/javascript/script-files.ts'

test.each([
  ['$.getJSON("_static/glossary.json", f)', ['_static/glossary.json']],
  ['import(\'./chunk-B2x.js\');import a from"../b.mjs"', ['./chunk-B2x.js', '../b.mjs']],
  ['const m=["assets/a-1.css","assets/b-2.js"]', ['assets/a-1.css', 'assets/b-2.js']],
  ['fetch("/search/index.json?v=3")', ['/search/index.json']],
  ['`/img/$' + '{name}.png` + "https://cdn.example/x.js" + "//cdn.example/y.js"', []],
  ['"a b.png" "index.html" "README.md" "1.2.3" ".js" "x"', []],
  ['"a.js" "a.js"', ['a.js']],
  ['e("@site/src/pages/index.js","~blog/default/list.json","/@data/a.json")', ['/@data/a.json']],
  ['r.jsx(n.code,{children:"package.json"}),r.jsx(n.a,{href:"/files/a.zip","children": \'b.js\'})', ['/files/a.zip']],
  ['r.jsx(n.pre,{children:"import a from \'./a.js\'\\n\\"b.js\\""}),fetch("c.json")', ['c.json']],
  ['r.jsxs(p,{children:[h,"d.json"]})', ['d.json']],
  [
    `"${'abs.all.'.repeat(32)}zip" "/a/${'x'.repeat(256)}/b.js" "/a/${'y'.repeat(240)}/b.js"`,
    [`/a/${'y'.repeat(240)}/b.js`],
  ],
  ['"search-index{dir}.json?_=1e"', ['search-index.json']],
])('%s names %j', (script, files) => {
  expect(scriptFiles(script)).toEqual(files)
})

test('a file may be below the root of the site or beside the script', () => {
  const root = new URL('https://a.example/docs/')
  const near = new URL('https://a.example/docs/js/app.js')
  const places = (name: string) => placesOf(name, root, near).map(url => url.pathname)
  expect(places('data/x.json')).toEqual(['/docs/data/x.json', '/docs/js/data/x.json'])
  expect(places('./x.js')).toEqual(['/docs/js/x.js', '/docs/x.js'])
  expect(places('/x.js')).toEqual(['/x.js'])
})
