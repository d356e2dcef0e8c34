import { expect, test } from 'vitest'
import { compareCounts } from './compare-counts.ts'

test('counts of a log of 50,000 lines match brute force, for ten ranges and every page', async () => {
  const { got, want, lines } = await compareCounts(50_000)
  expect(lines).toBe(50_000)
  expect(got).toEqual(want)
  // Two empty counts would be equal, too.
  expect(Object.keys(want[0]?.pages ?? {}).length).toBe(301)
  expect(want.map(({ total }) => total > 0)).toEqual([...Array(8).fill(true), false, false])
  const [all] = want
  // A visitor is an address and a user agent, and a user agent is of one kind.
  expect(all && all.human + all.ai === all.total && all.human > 0 && all.ai > 0).toBe(true)
})
