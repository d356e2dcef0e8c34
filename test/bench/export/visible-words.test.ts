import { expect, test } from 'vitest'
import { shareOfWords, subtractWords, toWords } from '../../../scripts/bench/export/visible-words.ts'

test('signs are no words', () => {
  expect(toWords(' Hooks \u200b¶\n#  are »called« 2 ')).toEqual(['Hooks', 'are', '»called«', '2'])
})

test('a word that is shown less often is lost', () => {
  expect(subtractWords(['a', 'b', 'a', 'c'], ['c', 'a', 'x'])).toEqual(['b', 'a'])
  expect(shareOfWords(['a', 'b', 'a', 'c'], ['c', 'a', 'x'])).toBe(0.5)
  expect(shareOfWords([], ['a'])).toBe(1)
})
