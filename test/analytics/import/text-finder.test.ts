import { expect, test } from 'vitest'
import { TextFinder } from '../../../server/analytics/import/text-finder.ts'
import fc from '../../support/fast-check.ts'

test.each([
  [['abc', 'b'], 'xabcx', 0],
  [['abcd', 'bc'], 'xabcx', 1],
  [['b', 'abc'], 'abc', 0],
  [['aab'], 'aaab', 0],
  [['abab'], 'aabaabab', 0],
  [['a', 'a'], 'a', 0],
  [['abc'], 'ab', undefined],
  [['abc'], '', undefined],
  [[], 'abc', undefined],
])('of %j, %j contains first %j', (texts, text, first) => {
  expect(new TextFinder(texts).find(text)).toBe(first)
})

test('any texts are found as one after another would be', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 }), { maxLength: 5 })
  fc.assert(
    fc.property(texts, text, (all, given) => {
      const index = all.findIndex(each => given.includes(each))
      expect(new TextFinder(all).find(given)).toBe(index === -1 ? undefined : index)
    }),
  )
})

test('no texts can stall a search', () => {
  const finder = new TextFinder(Array.from({ length: 2000 }, (_, i) => `${'a'.repeat(i % 90)}b${i}`))
  const startedAt = performance.now()
  for (let round = 0; round < 100; round++) finder.find('a'.repeat(1024))
  // One text after another takes over a second.
  expect(performance.now() - startedAt).toBeLessThan(500)
})
