import { expect, test } from 'vitest'
import { createSplices } from '../../../server/web/html/splice.ts'

function apply(...edits: [start: number, end: number, text: string][]): string {
  const splices = createSplices('0123456789')
  for (const edit of edits) splices.replace(...edit)
  return splices.apply()
}

test.each<[string, Parameters<typeof apply>, string]>([
  [
    'insertions at one position keep their order',
    [
      [3, 3, 'a'],
      [3, 3, 'b'],
    ],
    '012ab3456789',
  ],
  [
    'an insertion stays before a replacement that starts there',
    [
      [3, 5, 'x'],
      [3, 3, 'a'],
    ],
    '012ax56789',
  ],
  [
    'edits may touch',
    [
      [5, 7, 'y'],
      [3, 5, 'x'],
    ],
    '012xy789',
  ],
  [
    'a longer edit replaces those inside it',
    [
      [4, 5, 'a'],
      [6, 6, 'b'],
      [3, 4, 'c'],
      [3, 8, 'x'],
    ],
    '012x89',
  ],
  [
    'the same edit counts once',
    [
      [3, 5, 'x'],
      [3, 5, 'x'],
    ],
    '012x56789',
  ],
])('%s', (_, edits, want) => expect(apply(...edits)).toBe(want))

test('other overlaps are errors that name both edits', () => {
  expect(() => apply([3, 6, 'x'], [5, 8, 'y'])).toThrow('Two edits overlap: 3-6 -> "x" and 5-8 -> "y".')
  expect(() => apply([3, 6, 'x'], [3, 6, 'y'])).toThrow('Two edits overlap: 3-6 -> "x" and 3-6 -> "y".')
})
