import { describe, expect, test } from 'vitest'
import { createMoves, type Piece } from '../../../server/web/html/moves.ts'

const text = '0123456789'
const range = (start: number, end: number) => ({ start, end })

describe('moves ranges of a text', () => {
  const cases: { fact: string; edits: [number, number, Piece[]][]; want: string }[] = [
    { fact: 'not at all', edits: [], want: text },
    {
      fact: 'to another place',
      edits: [
        [1, 2, [range(7, 9)]],
        [6, 10, []],
      ],
      want: '0782345',
    },
    {
      fact: 'to a place in a moved range',
      edits: [
        [0, 1, [range(4, 8)]],
        [3, 9, []],
        [5, 6, ['x', range(1, 2)]],
        [1, 3, []],
      ],
      want: '4x1679',
    },
    {
      fact: 'to a place in a removed range',
      edits: [
        [1, 6, []],
        [3, 4, [range(7, 8)]],
        [6, 9, []],
      ],
      want: '09',
    },
    {
      fact: 'into itself, which removes it',
      edits: [
        [3, 8, []],
        [5, 6, [range(4, 7)]],
      ],
      want: '01289',
    },
    {
      fact: 'with insertions before a replacement',
      edits: [
        [3, 4, ['b']],
        [3, 3, ['a']],
        [10, 10, ['c']],
      ],
      want: '012ab456789c',
    },
    {
      fact: 'except where they overlap in part',
      edits: [
        [0, 1, [range(3, 6)]],
        [2, 7, []],
        [5, 8, ['x']],
      ],
      want: '3451789',
    },
  ]
  test.each(cases)('$fact', ({ edits, want }) => {
    const moves = createMoves(text)
    for (const [start, end, pieces] of edits) moves.replace(start, end, pieces)
    expect(moves.apply()).toBe(want)
  })
})
