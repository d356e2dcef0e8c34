import { expect, test } from 'vitest'
import { callScript } from '../../server/base/call-script.ts'

const values = [
  'plain "quoted" \\ text',
  '</script><script>alert(1)</script>',
  '<!-- <script>',
  '\u2028 \u2029 \u00e9 \u0000 \u007f',
  '\ud83d\ude00 \ud800',
  '`a` $$',
  { '</script>': ['<', null, true, 7] },
  null,
]

test.each(values.map(value => [value]))('passes %j to the script, in ASCII and without markup', value => {
  const call = callScript('(function(){return function(given){return given}})()', value)
  expect(call.slice(call.indexOf('}})()'))).toMatch(/^[ -;=-~]*$/)
  expect(new Function(`return ${call}`)()).toEqual(value)
})

test('passes several values in their order', () => {
  expect(new Function(`return ${callScript('((a, b) => [b, a])', 1, 'x')}`)()).toEqual(['x', 1])
})
