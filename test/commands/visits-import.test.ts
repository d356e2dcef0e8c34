import { expect, test } from 'vitest'
import { describeProgress } from '../../server/commands/visits-import.ts'

test.each([
  [1_234_567, 25e6, 100e6, 2, '1,234,567 lines, 617,284 lines/s, 25.0 MB of 100.0 MB, 6 s left'],
  [10, 0, 100e6, 2, '10 lines, 5 lines/s, 0.0 MB'],
  [10, 5e6, undefined, 2, '10 lines, 5 lines/s, 5.0 MB'],
  [10, 110e6, 100e6, 2, '10 lines, 5 lines/s, 110.0 MB of 100.0 MB, 0 s left'],
])('%d lines, %d of %s bytes in %d s: %s', (lines, readBytes, sizeBytes, seconds, want) => {
  expect(describeProgress({ lines, readBytes, sizeBytes }, seconds)).toBe(want)
})
