import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeAccessLog } from '../../../scripts/bench/visitors/access-log.ts'
import { agents } from '../../../scripts/bench/visitors/agents.ts'
import { createPaths } from '../../../scripts/bench/visitors/pages.ts'
import { chooseRanges } from '../../../scripts/bench/visitors/ranges.ts'
import { type RangeTruth, Truth } from '../../../scripts/bench/visitors/truth.ts'
import { formatDay } from '../../../server/analytics/day.ts'
import { type BruteCount, countByBruteForce } from '../../analytics/brute-force.ts'

const from = 20_400
const to = 20_700
const now = Date.UTC(2026, 10, 20)

function writeLog(seed: number, requests: number, pages: number) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-truth-'))
  try {
    const paths = createPaths(pages)
    const truth = new Truth({ firstDay: from, paths, capacity: requests })
    const file = join(folder, 'access.log')
    const tally = writeAccessLog(file, { seed, requests, pages, from, to, viewsOnly: false }, paths, truth)
    return { tally, truth, text: readFileSync(file, 'latin1') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function toBruteCount({ site: [human, ai, total], pages }: RangeTruth): Omit<BruteCount, 'labels'> {
  return { human, ai, total, pages: Object.fromEntries(pages.map(({ path, counts }) => [path, counts])) }
}

test.each([
  [1, 40_000, 300],
  [2, 15_000, 3],
])('the truth of log %i matches brute force, for ten ranges and every page', (...plan) => {
  const { tally, truth, text } = writeLog(...plan)
  const ranges = chooseRanges(from, to)
  expect(ranges.length).toBe(10)
  const table = Object.fromEntries(agents.map(({ userAgent, kind }) => [userAgent, kind]))
  const dates = ranges.map(range => [formatDay(range.from), formatDay(range.to)] as const)
  const lines = text.split('\n').slice(0, -1)
  const got = truth.count(ranges)
  const want = countByBruteForce(lines, table, dates, now).map(({ labels: _, ...counts }) => counts)
  expect(got.map(toBruteCount)).toEqual(want)

  const { views, filtered, malformed } = tally
  expect(lines.length).toBe(tally.lines)
  expect(text.length).toBe(tally.bytes)
  expect(views.human + views.ai + views.neither + filtered + malformed).toBe(tally.lines)
  // Two empty counts would be equal, too. Every kind of line occurs, and every visitor is of one kind.
  expect(Math.min(views.human, views.ai, views.neither, filtered, malformed)).toBeGreaterThan(0)
  const [human = 0, ai = 0, total = 0] = got[0]?.site ?? []
  expect(human + ai).toBe(total)
  expect(got.filter(({ pages }) => pages.length > 0).length).toBe(10)
})

test('pages are sorted by total, then by path in byte order', () => {
  const { truth } = writeLog(3, 5000, 200)
  const [all] = truth.count([{ from, to }])
  const pages = all?.pages ?? []
  const sorted = pages.toSorted((a, b) => b.counts[2] - a.counts[2] || (a.path < b.path ? -1 : 1))
  expect(pages).toEqual(sorted)
  expect(new Set(pages.map(({ counts }) => counts[2])).size).toBeLessThan(pages.length)
})

test('the same seed writes the same log, another seed another log', () => {
  const { text } = writeLog(4, 3000, 50)
  expect(writeLog(4, 3000, 50).text).toBe(text)
  expect(writeLog(5, 3000, 50).text).not.toBe(text)
})

test('the log has single and frequent visitors, late lines and both kinds of address', () => {
  const { text, truth } = writeLog(6, 60_000, 300)
  const daysOf = new Map<number, Set<number>>()
  truth.forEach((visitor, _, day) => void daysOf.set(visitor, (daysOf.get(visitor) ?? new Set()).add(day)))
  const days = [...daysOf.values()].map(({ size }) => size)
  expect(days.filter(count => count === 1).length / days.length).toBeGreaterThan(0.5)
  expect(days.filter(count => count > 10).length).toBeGreaterThan(10)
  const instants = [...text.matchAll(/\[(\d\d)\/(\w{3})\/(202\d):(\S+) \+0(\d)00\]/g)]
    .map(([, day, month, year, time, offset]) => Date.parse(`${month} ${day} ${year} ${time} GMT+0${offset}00`))
    .filter(at => !Number.isNaN(at))
  const late = instants.filter((at, i) => at < (instants[i - 1] ?? 0) - 3_600_000).length
  expect(late / instants.length).toBeGreaterThan(0.002)
  expect(late / instants.length).toBeLessThan(0.01)
  expect(text).toMatch(/^2001:db8:/m)
  expect(text).toMatch(/^10\./m)
  expect(text).toMatch(/\+0100\]/)
  expect(text).toMatch(/\+0200\]/)
})
