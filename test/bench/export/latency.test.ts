import { expect, test } from 'vitest'
import { judgeLatency } from '../../../scripts/bench/export-latency.ts'

const [ours, theirs] = ['quire --verify static', 'wget2 --max-threads=32']
const runs = (seconds: [ours: number, theirs: number][], pages = 500) =>
  seconds.flatMap(([a, b]) => [
    { tool: ours, wallSeconds: a, pages },
    { tool: theirs, wallSeconds: b, pages: 500 },
  ])

test('the median may be 1.3 times that of wget2, and no page may be missing', () => {
  expect(
    judgeLatency(
      runs([
        [9, 2],
        [2.6, 2],
        [2.5, 2],
      ]),
      500,
    ),
  ).toEqual([])
  expect(judgeLatency(runs([[2.7, 2]]), 500)).toEqual(['quire took 2.7 s, more than 1.3 times the 2.0 s of wget2.'])
  expect(judgeLatency(runs([[2, 2]], 499), 500)).toEqual(['quire --verify static copied 499 of 500 pages.'])
})
