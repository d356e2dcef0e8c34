import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { longFunctions, maxLines, maxLongLines } from '../../scripts/long-functions.ts'
import { findCircles, findLongFunctions, findWrongImports, readServer } from './import-graph.ts'

const root = join(import.meta.dirname, '../..')
const server = readServer(root)

test('server/ has no wrong import, and no circle', () => {
  expect(server.length).toBeGreaterThan(300)
  expect(findWrongImports(server)).toEqual([])
  expect(findCircles(server)).toEqual([])
})

test('only assets.ts starts threads', () => {
  expect(server.filter(({ text }) => /\bnew Worker\(/.test(text)).map(({ file }) => file)).toEqual(['server/assets.ts'])
})

test.each([
  ['server/store/a.ts', "import '../http/b.ts'"],
  ['server/store/a.ts', "import type { B } from '../http/b.ts'"],
  ['server/store/a.ts', "export * from '../http/b.ts'"],
  ['server/store/a.ts', "await import('../http/b.ts')"],
  ['server/store/a.ts', 'await import(`../http/b.ts`)'],
  ['server/store/a.ts', 'await import(name)'],
  ['server/store/a.ts', "type A = import('../http/b.ts').b"],
  ['server/store/a.ts', "type A = typeof import(\n'../http/b.ts')"],
  ['server/store/a.ts', "type A = import('../http/b.ts')['B']"],
  ['server/store/a.ts', "import b = require('../http/b.ts')"],
  ['server/store/a.ts', "require('../http/b.ts')"],
  ['server/store/a.ts', "import.meta.resolve('../http/b.ts')"],
  ['server/store/a.ts', "new URL('../http/b.ts', import.meta.url)"],
  ['server/store/a.ts', "declare module '../http/b.ts' {}"],
  ['server/store/a.ts', "import '../h%74tp/b.ts'"],
  ['server/store/a.mts', "import '../http/b.ts'"],
  ['server/export/crawl/a.ts', "import '../../export/jobs/b.ts'"],
  ['server/export/crawl/a.ts', "import './../jobs/b.ts'"],
  ['server/export/crawl/sub/a.ts', "import '../../jobs/b.ts'"],
  ['server/export/a.mts', "import './jobs/b.ts'"],
  ['server/base/a.ts', "import '../in-page/b.ts'"],
  ['server/base/a.ts', "import '../../generated/client.ts'"],
  ['server/base/a.ts', "import '../../mock/b.ts'"],
  ['server/base/a.ts', "import '../../scripts/b.ts'"],
  ['server/base/a.ts', "import '../../node_modules/better-sqlite3/lib/index.js'"],
  ['server/base/a.ts', "import 'node:sqlite'"],
  ['server/base/a.ts', "import 'puppeteer-core'"],
  ['server/base/a.ts', "type A = import('better-sqlite3').Database"],
])('%s may not contain %s', (file, text) => {
  expect(findWrongImports([{ file, text }])).toHaveLength(1)
})

test.each([
  ['server/store/a.ts', "import './b.ts'\nimport 'better-sqlite3'\nimport 'node:fs'\nimport '../export/jobs/b.ts'"],
  ['server/export/crawl/a.ts', "import '../model/b.ts'\nimport '../../web/fetch/b.ts'"],
  ['server/http/a.ts', "import '../../generated/operations.ts'"],
])('%s may contain %s', (file, text) => {
  expect(findWrongImports([{ file, text }])).toEqual([])
})

test.each([[['./b.ts', './a.ts']], [['./b.ts', './c.ts', './a.ts']]])('a circle of types is found: %j', targets => {
  const sources = targets.map((target, i) => ({
    file: `server/base/${'abc'[i]}.ts`,
    text: `export type T = import('${target}').T`,
  }))
  const outside = { file: 'server/base/z.ts', text: "import './a.ts'" }
  expect(findCircles([...sources, outside])).toEqual([sources.map(({ file }) => file)])
  expect(findCircles([...sources.slice(1), outside])).toEqual([])
})

test('functions are short, or listed with a reason', () => {
  const code = [...server, ...readCode('mock'), ...readCode('scripts')]
  const long = findLongFunctions(code, maxLines)
  expect(new Set(long.map(({ file }) => file))).toEqual(new Set(Object.keys(longFunctions)))
  expect(Math.max(...long.map(({ lines }) => lines))).toBeLessThanOrEqual(maxLongLines)
})

test('no file has more than 450 lines, and one with more than 300 says why', () => {
  const code = [...server, ...readCode('mock'), ...readCode('scripts'), ...readCode('test')]
  const longer = (lines: number) => code.filter(({ text }) => text.trimEnd().split('\n').length > lines)
  expect(longer(450).map(({ file }) => file)).toEqual([])
  expect(longer(300).flatMap(({ file, text }) => (text.includes('// A long file: ') ? [] : [file]))).toEqual([])
})

function readCode(folder: string) {
  return globSync(`${folder}/**/*.{ts,mjs}`, { cwd: root, exclude: ['**/node_modules/**'] })
    .map(file => file.replaceAll('\\', '/'))
    .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}
