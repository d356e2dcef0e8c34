import { expect, test } from 'vitest'
import { describeDuration } from '../../../server/dashboard/parts/duration.ts'

test.each([
  [-5, '0 s'],
  [0, '0 s'],
  [499, 'under 1 s'],
  [500, '1 s'],
  [59_400, '59 s'],
  [59_600, '1 min'],
  [200_000, '3 min 20 s'],
  [3_600_000, '1 h'],
  [5_400_000, '1 h 30 min'],
  [26 * 3_600_000, '1 d 2 h'],
])('%i ms are %s', (ms, words) => {
  expect(describeDuration(ms)).toBe(words)
})
