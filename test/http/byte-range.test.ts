import { expect, test } from 'vitest'
import { correctRange } from '../../server/http/byte-range.ts'

test.each([
  [undefined, undefined],
  ['bytes=0-1', 'bytes=0-1'],
  ['bytes=-99999999', 'bytes=0-'],
  ['bytes=-1000', 'bytes=0-'],
  ['bytes=-999', 'bytes=-999'],
  ['bytes=-0', 'bytes=-0'],
  ['bytes=5-2', undefined],
  ['bytes=0-1,5-2', undefined],
  ['bytes=0-1, -99999999', 'bytes=0-1,0-'],
  [`bytes=${'9'.repeat(1000)}-${'8'.repeat(1000)}`, undefined],
  ['bytes=007-10', 'bytes=007-10'],
  ['bytes=2000-', 'bytes=2000-'],
  ['bytes=a-b', 'bytes=a-b'],
  ['lines=5-2', 'lines=5-2'],
])('%s of a file of 1,000 bytes is sent as %s', (given, want) => {
  expect(correctRange(given, 1000)).toBe(want)
})
