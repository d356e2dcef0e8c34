import { expect, test } from 'vitest'
import { compareCounts } from './compare-counts.ts'

test('counts of a log of a million lines match brute force, for ten ranges and every page', async () => {
  const { got, want, lines, importSeconds, querySeconds } = await compareCounts(1_000_000)
  expect(lines).toBe(1_000_000)
  expect(got).toEqual(want)
  expect(Object.keys(want[0]?.pages ?? {}).length).toBe(301)
  console.log(
    `${Math.round(lines / importSeconds).toLocaleString('en-US')} lines/s, whole range in ${querySeconds.toFixed(2)} s`,
  )
})
