import { expect, test } from 'vitest'
import { endDay, firstDay } from '../../../scripts/bench/visitors/plan.ts'
import { chooseRanges, chooseWindows, lengths } from '../../../scripts/bench/visitors/ranges.ts'

test.each(lengths)('ranges of a %s are all different and within the data', length => {
  for (const count of [2, 14, 24, 36]) {
    const windows = chooseWindows(length, count, firstDay, endDay)
    expect(new Set(windows.map(({ from, to }) => `${from}-${to}`)).size).toBe(count)
    for (const { from, to } of windows) {
      expect(from).toBeGreaterThanOrEqual(firstDay)
      expect(to).toBeLessThanOrEqual(endDay)
      if (length !== 'odd') expect(to - from).toBe({ week: 7, month: 30, year: 365 }[length])
    }
  }
})

test('odd ranges are long and short', () => {
  const days = chooseWindows('odd', 24, firstDay, endDay).map(({ from, to }) => to - from)
  expect(Math.min(...days)).toBeLessThan(60)
  expect(Math.max(...days)).toBeGreaterThan(350)
})

test('there are ten ranges', () => {
  const ranges = chooseRanges(firstDay, endDay)
  expect(new Set(ranges.map(({ from, to }) => `${from}-${to}`)).size).toBe(10)
  expect(ranges.every(({ from, to }) => from < to)).toBe(true)
})
