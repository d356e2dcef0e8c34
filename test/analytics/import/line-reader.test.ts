import { expect, test } from 'vitest'
import { LineSplitter, maxLineBytes } from '../../../server/analytics/import/line-reader.ts'
import fc from '../../support/fast-check.ts'

function split(chunks: readonly string[]): { lines: string[]; tooLong: number; nulBytes: number } {
  const lines: string[] = []
  let tooLong = 0
  const splitter = new LineSplitter(
    (bytes, start, end) => lines.push(bytes.toString('latin1', start, end)),
    () => tooLong++,
  )
  for (const chunk of chunks) splitter.push(Buffer.from(chunk, 'latin1'))
  splitter.end()
  return { lines, tooLong, nulBytes: splitter.nulBytes }
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
  expect(split(chunks)).toEqual({ lines, tooLong, nulBytes: 0 })
})

const hole = '\0'.repeat(200_000)
test.each([
  [['\0\0a\nb\n'], ['a', 'b'], 0, 2],
  [['\0', '\0', 'a', '\nb\n'], ['a', 'b'], 0, 2],
  [[`${hole}a\nb`], ['a', 'b'], 0, 200_000],
  [[hole, 'a\n', '\0b'], ['a', 'b'], 0, 200_001],
  [[hole, hole], [], 0, 400_000],
  [['a\n\0\0'], ['a'], 0, 2],
  [['\0\0\na'], ['', 'a'], 0, 2],
  // A line of so many NULs is too long, as any other.
  [[hole, '\na'], ['a'], 1, 200_000],
  [[`\0${long}\na`], [long, 'a'], 0, 1],
  // Inside a line, a NUL is a byte of the line.
  [['a\0b\n'], ['a\0b'], 0, 0],
] as [string[], string[], number, number][])(
  'case %#: NULs before a line are skipped',
  (chunks, lines, tooLong, nulBytes) => {
    expect(split(chunks)).toEqual({ lines, tooLong, nulBytes })
  },
)

test('returns the same lines for any chunks', () => {
  const text = fc
    .array(fc.constantFrom('a', 'bc', '\n', 'def', '\r\n', '\0'), { maxLength: 60 })
    .map(parts => parts.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat(120)), (whole, cuts) => {
      const at = [0, ...cuts.map(cut => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
      const chunks = at.slice(1).map((end, i) => whole.slice(at[i], end))
      expect(split(chunks)).toEqual(split([whole]))
    }),
  )
})
