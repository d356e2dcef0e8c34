import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkExpressions } from '../../../scripts/expressions/check-expressions.ts'
import type { Exception } from '../../../scripts/expressions/exceptions.ts'
import { findExpressions } from '../../../scripts/expressions/find-expressions.ts'
import { judgeExpression } from '../../../scripts/expressions/judge-expression.ts'

const none = { judge: '1', verdicts: {} }
const judge = { version: '1', judge: judgeExpression }

function check(source: string, exceptions: Exception[] = [], known: Parameters<typeof checkExpressions>[2] = none) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-expressions-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'x.ts'), source)
  return checkExpressions(findExpressions('x.ts', readFileSync(join(folder, 'x.ts'), 'utf8')), exceptions, known, judge)
}

test.each<[string, string, string[]]>([
  ['a quadratic literal', 'text.replace(/[?#].*$/g, "")', ['x.ts: /[?#].*$/g is not safe: 2nd degree polynomial.']],
  [
    'a cubic literal',
    'const range = /^\\s*bytes=\\s*(\\d*)\\s*-$/',
    ['x.ts: /^\\s*bytes=\\s*(\\d*)\\s*-$/ is not safe: 2nd degree polynomial.'],
  ],
  ['an exponential literal', 'const x = /^(a|a)*$/', ['x.ts: /^(a|a)*$/ is not safe: exponential.']],
  ['a string given to RegExp', "RegExp('a+$', 'i')", ["x.ts: RegExp('a+$', 'i') is not safe: 2nd degree polynomial."]],
  ['a template', `new RegExp(\`^\${a}\n  $\`)`, [`x.ts: new RegExp(\`^\${a} $\`) is not safe: made at run time.`]],
  ['a variable', 'new RegExp(words, "i")', ['x.ts: new RegExp(words, "i") is not safe: made at run time.']],
  ['what is no expression', 'const a = "/[?#].*$/" // /[?#].*$/\nconst b = `/a+$/` + 4 / a / 2', []],
  ['linear literals', 'const a = /^[a-z]+$/; const b = new RegExp("^a+$"); a.test(/x/.source)', []],
])('judges %s', async (_, source, problems) => {
  expect((await check(source)).problems).toEqual(problems)
})

test('accepts an exception, and refuses one that is not needed', async () => {
  const exception = { file: 'x.ts', text: '/a+$/', reason: 'The test wrote the input.' }
  expect((await check('/a+$/; /a+$/', [exception])).problems).toEqual([])
  const unused = ['x.ts: /a+$/ needs no exception any more.']
  expect((await check('/^a+$/', [exception])).problems).toEqual(unused)
  expect((await check('/a+$/', [exception, { ...exception, file: 'y.ts' }])).problems).toEqual([
    'y.ts: /a+$/ needs no exception any more.',
  ])
})

test('judges a literal once, and forgets the verdicts of literals that are gone', async () => {
  const known = { judge: '1', verdicts: { '/a/': 'unknown (timeout)', '/gone/': 'safe' } }
  const { problems, verdicts } = await check('/b/i; /a/', [], known)
  expect(problems).toEqual(['x.ts: /a/ is not safe: unknown (timeout).'])
  expect(verdicts).toEqual({ judge: '1', verdicts: { '/a/': 'unknown (timeout)', '/b/i': 'safe' } })
})

test('judges all literals again when the version of the judge changes', async () => {
  const { problems, verdicts } = await check('/a/', [], { judge: '0', verdicts: { '/a/': 'unknown (timeout)' } })
  expect({ problems, verdicts }).toEqual({ problems: [], verdicts: { judge: '1', verdicts: { '/a/': 'safe' } } })
})
