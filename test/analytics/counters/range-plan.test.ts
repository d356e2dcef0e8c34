import { expect, test } from 'vitest'
import { planRange } from '../../../server/analytics/counters/range-plan.ts'
import { parseDay } from '../../../server/analytics/day.ts'

const day = (date: string) => parseDay(date) as number
const visited = { from: day('2023-11-10'), to: day('2024-03-05') }
const forEver = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }
const span = (from: string, to: string) => ({ from: day(from), to: day(to) })

test.each([
  ['everything', forEver, [], span('2023-11-01', '2024-04-01')],
  ['whole months', span('2023-12-01', '2024-02-01'), [], span('2023-12-01', '2024-02-01')],
  [
    'days at both ends',
    span('2023-11-30', '2024-02-03'),
    [span('2023-11-30', '2023-12-01'), span('2024-02-01', '2024-02-03')],
    span('2023-12-01', '2024-02-01'),
  ],
  ['a leap February', span('2024-02-01', '2024-03-01'), [], span('2024-02-01', '2024-03-01')],
  ['all but a leap day', span('2024-02-01', '2024-02-29'), [span('2024-02-01', '2024-02-29')], undefined],
  ['days of two months', span('2023-12-30', '2024-01-03'), [span('2023-12-30', '2024-01-03')], undefined],
  ['from before the first visit', span('2020-01-01', '2023-12-01'), [], span('2023-11-01', '2023-12-01')],
  ['up to after the last visit', span('2024-03-01', '2099-01-01'), [], span('2024-03-01', '2024-04-01')],
  ['part of the first month', span('2023-11-11', '2023-12-01'), [span('2023-11-11', '2023-12-01')], undefined],
  ['part of the last month', span('2024-03-01', '2024-03-04'), [span('2024-03-01', '2024-03-04')], undefined],
  ['nothing', span('2024-01-05', '2024-01-05'), [], undefined],
  ['before all visits', span('2020-01-01', '2021-01-01'), [], undefined],
  ['after all visits', span('2025-01-01', '2026-01-01'), [], undefined],
])('%s', (_, range, days, months) => {
  expect(planRange(range, visited)).toEqual({ days, months })
})
