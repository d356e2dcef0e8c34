import { expect, test } from 'vitest'
import { csvHead, toCsvLine } from '../../server/analytics/visitors-csv.ts'

test('the columns are the fields of a page', () => {
  expect(csvHead).toBe('path,human,ai,total\r\n')
})

test.each([
  ['/', '/'],
  ['/guides/quick start', '/guides/quick start'],
  ['/a,b', '"/a,b"'],
  ['/say/"hi"', '"/say/""hi"""'],
  ['/a;b=c', '/a;b=c'],
  ['/%C3%A9', '/%C3%A9'],
])('the path %s is written as %s', (path, want) => {
  expect(toCsvLine({ path, human: 3, ai: 1, total: 4 })).toBe(`${want},3,1,4\r\n`)
})
