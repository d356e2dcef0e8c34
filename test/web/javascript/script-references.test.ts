import { expect, test } from 'vitest'
import { scriptReferences } from '../../../server/web/javascript/script-references.ts'
import { callInThread } from '../../support/thread.ts'

type Module = typeof import('../../../server/web/javascript/script-references.ts')

test.each<[string, string[]]>([
  ['import "./a.js"', ['module ./a.js']],
  ['import a, { b as c } from\n"./a.js"; export * from \'../b.js\'', ['module ./a.js', 'module ../b.js']],
  ['import{a}from"./a.js";export{b}from"b"', ['module ./a.js', 'module b']],
  ['await import("./a.js"); import(/* webpackIgnore: true */ `./b.js`)', ['module ./a.js', 'module ./b.js']],
  ['import(`./$' + '{name}.js`)', []],
  ['new URL("w.js", import.meta.url); new URL("x.js", location)', ['beside w.js']],
  ['importScripts("a.js", "b.js"); load("c.js")', ['beside a.js', 'beside b.js']],
  ['s.src = "https://cdn.example/a.js"; t = "https://example.com/page"', ['text https://cdn.example/a.js']],
  ['// import "./no.js"\n/* import "./no.js" */ import "./yes.js"', ['module ./yes.js']],
  ['const sample = "import x from \\"./no.js\\""; const other = `import "./no.js"`', []],
  ['`$' + '{`$' + '{import("./in.js")}`} import "./no.js"`', ['module ./in.js']],
  ['x = a / b; import "./a.js"; y = /"/.test(z); import "./b.js"', ['module ./a.js', 'module ./b.js']],
  ['if (x) /["\']/.test(x); import "./a.js"', ['module ./a.js']],
  ['x = (1 + 2) / 3 / "4"; import "./a.js"', ['module ./a.js']],
  ['x = { a: 1 } / 2; f(`}`); import "./a.js"', ['module ./a.js']],
  ['loader.import("./no.js"); Array.from("./no.js")', []],
  ['import "./\\u0061.js"', ['module ./a.js']],
  ['"never closed\nimport "./a.js"', ['module ./a.js']],
])('%s', (text, references) => {
  expect(scriptReferences(text).map(({ kind, address }) => `${kind} ${address}`)).toEqual(references)
  for (const { start, end } of scriptReferences(text)) expect(text.slice(start, end)).toMatch(/^[^"'`]+$/)
})

test.each([
  ['quotes', '"\\'],
  ['slashes', '/['],
  ['templates', '`${'],
  ['brackets', '({['],
  ['comments', '/*'],
])('a script that only repeats %s takes linear time', async (_, part) => {
  // In quadratic time, this script would exceed the timeout by far.
  const count = await callInThread(
    'server/web/javascript/script-references.ts',
    (module: Module, text: string) => module.scriptReferences(text).length,
    `import "./a.js";${part.repeat(1_000_000)}`,
  )
  expect(count).toBe(1)
})
