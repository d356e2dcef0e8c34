import { expect, test } from 'vitest'
import { overviewTexts } from '../../../server/dashboard/texts/overview.ts'

test.each([
  [1, '1 more site has a failed export.'],
  [2, '2 more sites have a failed export.'],
])('the sentence about %i more sites is: %s', (more, sentence) => {
  expect(overviewTexts.moreFailed(more)).toBe(sentence)
})
