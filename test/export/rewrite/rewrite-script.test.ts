import { expect, test } from 'vitest'
import { createExclusions, createSite } from '../../../server/export/model/site.ts'

import { createBundleMap } from '../../../server/export/rewrite/bundle-map.ts'
import { rewriteImportMap, rewriteScript } from '../../../server/export/rewrite/rewrite-script.ts'

const site = createSite('docs.example.com', new URL('https://docs.example.com/'))
const cdn = 'https://cdn.example'
const files = new Map(
  [
    [`${cdn}/lib@1/index.js`, '_external/cdn.example/lib@1/index.js'],
    [`${cdn}/lib@1/part/+esm`, '_external/cdn.example/lib@1/part/+esm.js'],
    [`${cdn}/root.js`, '_external/cdn.example/root.js'],
    ['https://docs.example.com/js/own.js', 'js/own.js'],
  ].map(([key = '', path]) => [key, { state: 'file' as const, path }]),
)
const map = createBundleMap(site, { pages: new Map(), files, aliases: new Map() }, createExclusions([], site))

function rewrite(text: string, url: string, path: string) {
  const missing: string[] = []
  const findings = { deadLink() {}, missingFile: (to: URL) => void missing.push(to.href) }
  const hasMoved = !url.startsWith('https://docs.example.com/')
  const now = rewriteScript({ text, charset: 'utf-8' }, { url: new URL(url), path, hasMoved }, map, findings)
  return { now, missing }
}

const external = (text: string) => rewrite(text, `${cdn}/lib@1/index.js`, '_external/cdn.example/lib@1/index.js')
const own = (text: string) => rewrite(text, 'https://docs.example.com/js/own.js', 'js/own.js')

test.each<[string, string]>([
  ['import "./part/+esm"', 'import "./part/+esm.js"'],
  ["import a from '/root.js'", "import a from '../root.js'"],
  [`export * from "${cdn}/root.js"`, 'export * from "../root.js"'],
  ['import("./part/+esm"); import bare from "bare"', 'import("./part/+esm.js"); import bare from "bare"'],
  ['say("import \'./part/+esm\'") // import "./part/+esm"', 'say("import \'./part/+esm\'") // import "./part/+esm"'],
])('a script of another host: %s', (text, expected) => expect(external(text).now).toBe(expected))

test.each<[string, string]>([
  [`import "${cdn}/lib@1/index.js"`, 'import "../_external/cdn.example/lib@1/index.js"'],
  ['import "https://docs.example.com/js/own.js"', 'import "./own.js"'],
  ['import "./chunk.js"; import "/js/x.js"', 'import "./chunk.js"; import "/js/x.js"'],
  [`s.src = "${cdn}/root.js"`, `s.src = "${cdn}/root.js"`],
])('a script of the site: %s', (text, expected) => expect(own(text).now).toBe(expected))

test('a file that is not packed is reported', () => {
  expect(external('import "./gone.js"').missing).toEqual([`${cdn}/lib@1/gone.js`])
})

test('an import map leads into the bundle, even if a file has another name there', () => {
  const text = `{"imports":{"lib":"${cdn}/lib@1/index.js","lib/":"${cdn}/lib@1/","own":"/js/own.js","far":"${cdn}/gone.js"},"integrity":{"x":"y"}}`
  const now = rewriteImportMap(
    { text, charset: 'utf-8' },
    new URL('https://docs.example.com/a/b/'),
    'a/b/index.html',
    map,
  )
  expect(JSON.parse(now)).toEqual({
    imports: {
      lib: '../../_external/cdn.example/lib@1/index.js',
      'lib/': '../../_external/cdn.example/lib@1/',
      'lib/index.js': '../../_external/cdn.example/lib@1/index.js',
      'lib/part/+esm': '../../_external/cdn.example/lib@1/part/+esm.js',
      own: '../../js/own.js',
      far: `${cdn}/gone.js`,
    },
  })
})
