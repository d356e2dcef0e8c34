import { expect, test } from 'vitest'
import type { Sample } from '../../scripts/bench/http/run.ts'
import { compareCpu, findGeneratorShare, summarize } from '../../scripts/bench/http/summary.ts'
import { median } from '../../scripts/bench/report.ts'

test.each([
  [[3], 3],
  [[9, 1, 2], 2],
  [[10, 2, 1, 4], 3],
])('the median of %j is %d', (values, want) => {
  expect(median(values)).toBe(want)
})

test('an empty list has no median', () => {
  expect(() => median([])).toThrow('empty list')
})

const sample = (requests: number, serverCpuSeconds: number, generatorCpuSeconds = 0): Sample => ({
  requests,
  seconds: 2,
  p50Ms: 1,
  p99Ms: requests / 100,
  serverCpuSeconds,
  generatorCpuSeconds,
})

test('a share is computed per round, so that a slow round does not distort it', () => {
  const yardstick = { name: 'bare', samples: [sample(1000, 1), sample(100, 1), sample(2000, 1)] }
  const other = { name: 'other', samples: [sample(500, 1), sample(50, 1), sample(1000, 1)] }
  expect(summarize([yardstick, other])).toEqual([
    { name: 'bare', requestsPerSecond: 500, share: 1, p50Ms: 1, p99Ms: 10, cpuSecondsPer1000: 1, cpuShare: 1 },
    { name: 'other', requestsPerSecond: 250, share: 0.5, p50Ms: 1, p99Ms: 5, cpuSecondsPer1000: 2, cpuShare: 0.5 },
  ])
})

test('the load generator is judged by its busiest measurement', () => {
  const runs = [
    { name: 'bare', samples: [sample(1, 1, 0.2), sample(1, 1, 1.5)] },
    { name: 'other', samples: [sample(1, 1, 0.4), sample(1, 1, 1)] },
  ]
  expect(findGeneratorShare(runs)).toBe(0.75)
})

test('what a server needs more is the difference of the smallest CPU times of a request', () => {
  const runs = [
    { name: 'bare', samples: [sample(1000, 3), sample(1000, 1), sample(2000, 4)] },
    { name: 'other', samples: [sample(1000, 1.1), sample(1000, 9), sample(1000, 5)] },
  ]
  expect(compareCpu(runs, 'other', 'bare')).toBeCloseTo(0.1)
})
