import { expect, test } from 'vitest'
import { groupVisitors } from '../../../server/analytics/counters/group-visitors.ts'

/** A visitor whose hash begins with this byte, and ends with the other. */
function visitor(first: number, last = 0): Uint8Array {
  const bytes = new Uint8Array(16).fill(first)
  bytes[15] = last
  return bytes
}

function group(visitors: Uint8Array[], maxSize: number): [first: number, isAgain: boolean][][] {
  const views = visitors.map(visitor => ({ visitor, views: [] }))
  return [...groupVisitors(views as never, maxSize)].map(group =>
    group.map(({ visitor, isAgain }) => [visitor[0] as number, isAgain]),
  )
}

test('groups have at most so many visitors, in their order', () => {
  expect(group([visitor(1), visitor(2), visitor(3)], 2)).toEqual([
    [
      [1, false],
      [2, false],
    ],
    [[3, false]],
  ])
  expect(group([], 2)).toEqual([])
})

test('a visitor whose hash begins like that of the one before starts a group, and says so', () => {
  expect(group([visitor(1), visitor(2, 1), visitor(2, 2), visitor(3)], 9)).toEqual([
    [
      [1, false],
      [2, false],
    ],
    [
      [2, true],
      [3, false],
    ],
  ])
})
