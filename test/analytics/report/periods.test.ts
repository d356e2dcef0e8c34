import { expect, test } from 'vitest'
import { formatDay, parseDay } from '../../../server/analytics/day.ts'
import { choosePeriodLength, type PeriodLength, splitRange } from '../../../server/analytics/report/periods.ts'

const toRange = (from: string, to: string) => ({ from: parseDay(from) as number, to: parseDay(to) as number })

test.each<[string, string, PeriodLength, string]>([
  ['2026-11-20', '2026-11-23', 'day', '2026-11-20 2026-11-21 2026-11-22 | 2026-11-23'],
  // 2026-11-22 is a Sunday.
  ['2026-11-20', '2026-12-02', 'week', '2026-11-20 2026-11-23 2026-11-30 | 2026-12-02'],
  ['2026-11-23', '2026-11-30', 'week', '2026-11-23 | 2026-11-30'],
  ['2023-12-15', '2024-03-01', 'month', '2023-12-15 2024-01-01 2024-02-01 | 2024-03-01'],
  ['2026-11-20', '2026-11-20', 'month', ' | '],
])('%s to %s by %3$s', (from, to, length, want) => {
  const periods = splitRange(toRange(from, to), length)
  const ends = periods.map(period => formatDay(period.to))
  expect(`${periods.map(period => formatDay(period.from)).join(' ')} | ${ends.at(-1) ?? ''}`).toBe(want)
  // Without gaps.
  expect(ends.slice(0, -1)).toEqual(periods.slice(1).map(period => formatDay(period.from)))
})

test.each([
  ['2026-11-01', '2026-12-01', 'day'],
  ['2026-09-01', '2026-12-01', 'week'],
  ['2025-01-01', '2027-01-01', 'month'],
])('%s to %s fits on a screen by %s', (from, to, want) => {
  expect(choosePeriodLength(toRange(from, to))).toBe(want)
})
