import { expect, test } from 'vitest'
import { showCountOf } from '../../server/commands/print.ts'

test.each([
  [0, '0 files'],
  [1, '1 file'],
  [2, '2 files'],
  [1234, '1,234 files'],
])('shows %i with its noun', (count, shown) => {
  expect(showCountOf(count, 'file')).toBe(shown)
})
