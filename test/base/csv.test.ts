import { expect, test } from 'vitest'
import { type CsvCell, toCsvRow } from '../../server/base/csv.ts'

test.each<[CsvCell[], string]>([
  [['/guide', 12, '2026-11-20'], '/guide,12,2026-11-20'],
  [['a,b', 'a"b', 'a\nb'], '"a,b","a""b","a\nb"'],
  [['', 0], ',0'],
  [['=1+1', '+1', '-1', '@a', '\ta', '\ra'], `'=1+1,'+1,'-1,'@a,'\ta,"'\ra"`],
  [[-1], '-1'],
  [['=HYPERLINK("http://a.example","b")'], `"'=HYPERLINK(""http://a.example"",""b"")"`],
])('%j', (cells, want) => {
  expect(toCsvRow(cells)).toBe(`${want}\r\n`)
})
