import { expect, test } from 'vitest'
import { describeMachine } from '../../../scripts/bench/report.ts'
import { findGrowth, judge, type Results as Parts } from '../../../scripts/bench/visitors/goals.ts'
import { lengths } from '../../../scripts/bench/visitors/ranges.ts'
import { tenths, visitorsText } from '../../../scripts/bench/visitors/report.ts'

type Results = Required<Parts>

const read = { lines: 10_000_000, wallSeconds: 30, cpuSeconds: 25, linesPerCpuSecond: 400_000, peakBytes: 200e6 }
const percentiles = { requests: 96, p50Ms: 20, p95Ms: 100, p99Ms: 150, maxMs: 160 }
const good: Results = {
  import: {
    log: { lines: 10_000_000, bytes: 2e9, views: { human: 3e6, ai: 1e6, neither: 1e6 }, filtered: 5e6, malformed: 0 },
    quire: { ...read, heldBytes: Array(40).fill(200e6) },
    goAccess: { ...read, linesPerCpuSecond: 90_000, peakBytes: 900e6, heldBytes: [] },
    storedBytes: 1e8,
    differences: 0,
    compared: 300_000,
  },
  visits: {
    visits: 10_000_000,
    distinct: 9_000_000,
    fill: { ...read, heldBytes: [], storeCpuSeconds: 20 },
    storedBytes: 1e8,
    differences: 0,
    compared: 300_000,
  },
  http: {
    visitors: percentiles,
    lengths: lengths.map(length => ({ ...percentiles, length, serverCpuMs: 29 })),
    idle: percentiles,
    duringImport: { ...percentiles, p99Ms: 20, import: { ...read, heldBytes: [] } },
    differences: 0,
  },
}

function missed(change: (results: Results) => void): string[] {
  const results = structuredClone(good)
  change(results)
  return judge(results)
    .filter(({ isMet }) => isMet === false)
    .map(({ what }) => what)
}

const ofLength = ({ http }: Results, name: string) => http.lengths.find(({ length }) => length === name) as never

test.each<[string, (results: Results) => void, string[]]>([
  ['nothing', () => {}, []],
  [
    'a slow import',
    ({ import: part }) => Object.assign(part?.quire ?? {}, { linesPerCpuSecond: 350_000 }),
    ['import: 4 times'],
  ],
  [
    'an import with high memory use',
    ({ import: part }) => Object.assign(part?.quire ?? {}, { peakBytes: 1e9 }),
    ['import: no more memory'],
  ],
  [
    'an import whose memory use grows',
    ({ import: part }) =>
      Object.assign(part?.quire ?? {}, {
        lines: 100_000_000,
        heldBytes: Array.from({ length: 40 }, (_, i) => i * 10e6),
      }),
    ['import: memory stays constant'],
  ],
  [
    'a slow import of a hundred million lines',
    ({ import: part }) => {
      const slow = { lines: 100_000_000, linesPerCpuSecond: 219_000 }
      Object.assign(part?.goAccess ?? {}, { linesPerCpuSecond: 50_000 })
      Object.assign(part?.quire ?? {}, slow)
    },
    ['import: 220,000 lines per CPU second'],
  ],
  [
    'a slow week',
    results => Object.assign(ofLength(results, 'week'), { serverCpuMs: 31 }),
    ['week: at most 30 ms CPU'],
  ],
  ['a slow server', ({ http }) => Object.assign(http.visitors, { p95Ms: 200 }), ['HTTP: p95 of getUniqueVisitors']],
  [
    'a server that an import delays',
    ({ http }) => Object.assign(http.duringImport ?? {}, { p99Ms: 50 }),
    ['HTTP: p99 of getAgentJob'],
  ],
  [
    'a wrong count of the import',
    ({ import: part }) => Object.assign(part ?? {}, { differences: 1 }),
    ['all answers are correct'],
  ],
  [
    'a wrong count of the visits',
    ({ visits }) => Object.assign(visits, { differences: 1 }),
    ['all answers are correct'],
  ],
  ['a wrong count over HTTP', ({ http }) => Object.assign(http, { differences: 1 }), ['all answers are correct']],
])('%s misses its goals', (_, change, goals) => {
  const found = missed(change)
  expect(found.length).toBe(goals.length)
  for (const [i, goal] of goals.entries()) expect(found[i]).toContain(goal)
})

test('small runs, dominated by start times, are not judged', () => {
  const results = structuredClone(good)
  Object.assign(results.import?.quire ?? {}, { lines: 100_000, linesPerCpuSecond: 50_000 })
  Object.assign(results.visits, { visits: 100_000 })
  expect(judge(results).filter(({ isMet }) => isMet === false)).toEqual([])
  expect(judge(results).filter(({ isMet }) => isMet === undefined).length).toBe(3)
})

test('a hundred million visits have a separate goal', () => {
  const slow = (cpuMs: number) => (results: Results) => {
    results.visits.visits = 100_000_000
    results.http.visitors.p95Ms = 400
    for (const length of results.http.lengths) Object.assign(length, { serverCpuMs: cpuMs })
  }
  expect(missed(slow(169))).toEqual([])
  expect(missed(slow(171))).toEqual(['year: at most 170 ms CPU at the median'])
})

test('growth is undefined for a run that is too short', () => {
  expect(findGrowth({ heldBytes: Array(10).fill(1) })).toBeUndefined()
  expect(findGrowth({ heldBytes: Array(20).fill(1) })).toBe(1)
})

test.each([
  [[], []],
  [[5], [5]],
  [Array.from({ length: 20 }, (_, index) => index), [0.5, 2.5, 4.5, 6.5, 8.5, 10.5, 12.5, 14.5, 16.5, 18.5]],
])('the means of the tenths of %j are %j', (values, means) => {
  expect(tenths(values)).toEqual(means)
})

test('a run that failed has the figures and goals of the parts before', () => {
  const parts: Parts = { visits: good.visits }
  const goals = judge(parts)
  expect(goals).toMatchObject([{ what: 'all answers are correct', isMet: true }])
  const plan = { seed: 1, lines: 0, visits: 10_000_000, pages: 1, repeats: 1, withGoAccess: false }
  const text = visitorsText({
    command: 'bench',
    machine: describeMachine(0),
    plan,
    seconds: 1,
    isFinished: false,
    ...parts,
    goals,
  })
  expect(text).toContain('The run ended early.')
  expect(text).toContain('10,000,000 visits')
  expect(text).not.toContain('over HTTP')
})
