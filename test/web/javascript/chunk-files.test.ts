import { describe, expect, test } from 'vitest'
import { chunkFiles, fullTwin } from '../../../server/web/javascript/chunk-files.ts'

describe('chunks named by a run-time', () => {
  const cases: { fact: string; given: string; want: string[] }[] = [
    {
      fact: 'names and hashes in maps',
      given:
        'n.u=e=>"assets/js/"+(({1:"menu"})[e]||e)+"."+({1:"aa",2:"bb"})[e]+".js",n.miniCssF=e=>""+e+".css",n.p="/"',
      want: ['/assets/js/menu.aa.js', '/assets/js/2.bb.js'],
    },
    {
      fact: 'numbers that are compared',
      given: 'r.u=e=>8===e?"static/8-a.js":"static/"+e+"."+{9:"b"}[e]+".js",r.p="/_next/"',
      want: ['/_next/static/8-a.js', '/_next/static/9.b.js'],
    },
    { fact: 'a plain function', given: 'r.u=function(e){return "a/"+{1:"x"}[e]+".js"}', want: ['a/x.js'] },
    { fact: 'style sheets', given: 'r.miniCssF=e=>"css/"+{4:"dd"}[e]+".css"', want: ['css/dd.css'] },
    { fact: 'anything else is not read', given: 'r.u=e=>fetch("x")+e', want: [] },
    {
      fact: 'a single chunk, named where it is loaded',
      given: 'var n=a.O(void 0,[1852],()=>1);a.u=e=>"assets/js/"+e+".25f6.js",a.p="/"',
      want: ['/assets/js/1852.25f6.js'],
    },
    {
      fact: 'style sheets of the chunks that have one',
      given:
        'r.e(7),r.e(8);r.u=e=>e+"."+{7:"aa",8:"bb"}[e]+".js";r.miniCssF=e=>""+e+".css";r.f.miniCss=(e,t)=>{o[e]?t.push(o[e]):0!==o[e]&&({8:1})[e]&&t.push(l(e))}',
      want: ['7.aa.js', '8.bb.js', '8.css'],
    },
    {
      fact: 'no style sheets where no chunk has one',
      given: 'r.e(7),r.e(8);r.u=e=>e+"."+{7:"aa",8:"bb"}[e]+".js";r.miniCssF=e=>""+e+".css"',
      want: ['7.aa.js', '8.bb.js'],
    },
    { fact: 'no names without a look-up table', given: 'r.u=e=>e+".js"', want: [] },
    { fact: 'a truncated script', given: 'r.u=e=>"a"+({1:"x', want: [] },
  ]
  test.each(cases)('$fact', ({ given, want }) => {
    expect(chunkFiles(given)).toEqual(want)
  })
})

test('a lean page script of VitePress has a full version', () => {
  expect(fullTwin(new URL('http://x/assets/a.md.C1.lean.js'))).toBe('./a.md.C1.js')
  expect(fullTwin(new URL('http://x/assets/a.js'))).toBe(null)
})
