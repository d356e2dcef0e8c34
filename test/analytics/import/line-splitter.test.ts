import { expect, test } from 'vitest'
import { LineSplitter, maxLineBytes } from '../../../server/analytics/import/line-splitter.ts'
import fc from '../../support/fast-check.ts'

function split(chunks: readonly string[]): { lines: string[]; tooLong: number } {
  const lines: string[] = []
  let tooLong = 0
  const splitter = new LineSplitter(
    (bytes, start, end) => lines.push(bytes.toString('latin1', start, end)),
    () => tooLong++,
  )
  for (const chunk of chunks) splitter.push(Buffer.from(chunk, 'latin1'))
  splitter.end()
  return { lines, tooLong }
}

const long = 'x'.repeat(maxLineBytes)

test.each([
  [[], [], 0],
  [['a\nb\n'], ['a', 'b'], 0],
  [['a\nb'], ['a', 'b'], 0],
  [['a\r\nb\r\n'], ['a', 'b'], 0],
  [['a', 'b', '\n', 'c'], ['ab', 'c'], 0],
  [['a\r', '\nb'], ['a', 'b'], 0],
  [['\n\n'], ['', ''], 0],
  [[`${long}\na`], [long, 'a'], 0],
  [[long, '\na'], [long, 'a'], 0],
  [[`${long}y\na`], ['a'], 1],
  [[long, 'y', 'z\na'], ['a'], 1],
  [[long, long, long, `${long}\na\n`, long, `${long}\nb`], ['a', 'b'], 2],
  [[long, 'y'], [], 1],
] as [string[], string[], number][])('case %#: lines and too long ones', (chunks, lines, tooLong) => {
  expect(split(chunks)).toEqual({ lines, tooLong })
})

test('returns the same lines for any chunks', () => {
  const text = fc.array(fc.constantFrom('a', 'bc', '\n', 'def', '\r\n'), { maxLength: 60 }).map(parts => parts.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat(120)), (whole, cuts) => {
      const at = [0, ...cuts.map(cut => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
      const chunks = at.slice(1).map((end, i) => whole.slice(at[i], end))
      expect(split(chunks)).toEqual(split([whole]))
    }),
  )
})
