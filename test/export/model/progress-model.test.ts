import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ExportProgress } from '../../../server/export/model/options.ts'
import { createProgressModel } from '../../../server/export/model/progress-model.ts'

type Report = [at: number, stage: ExportProgress['stage'], pagesDone: number, pagesKnown: number]

/** What exports of two manuals reported, on a busy machine. */
const recorded: { site: string; endMs: number; reports: Report[] }[] = JSON.parse(
  readFileSync(new URL('recorded-progress.json', import.meta.url), 'utf8'),
)
const pollMs = 500

function replay({ endMs, reports }: (typeof recorded)[number]) {
  const model = createProgressModel()
  const polls: { percent: number; leftMs: number | null; realMs: number }[] = []
  let next = 0
  for (let at = pollMs; at < endMs; at += pollMs) {
    for (; (reports[next]?.[0] ?? endMs) <= at; next += 1) {
      const [time, stage, pagesDone, pagesKnown] = reports[next] as Report
      model.note({ stage, pagesDone, pagesKnown, pageCount: pagesDone }, time)
    }
    polls.push({ ...model.read(at), realMs: endMs - at })
  }
  return polls
}

test.each(recorded)('$site: progress never falls, and moves in each stage', recording => {
  const percents = replay(recording).map(({ percent }) => percent)
  expect(percents).toEqual(percents.toSorted((a, b) => a - b))
  expect(percents.at(-1)).toBeLessThanOrEqual(99)
  expect(new Set(percents).size).toBeGreaterThan(20)
})

test.each(recorded)('$site: the time left is within a factor of 2 where it is shown', recording => {
  const shown = replay(recording).filter(({ leftMs }) => leftMs !== null)
  const near = shown.filter(({ leftMs, realMs }) => leftMs !== null && leftMs <= 2 * realMs && realMs <= 2 * leftMs)
  expect(shown.length).toBeGreaterThan(5)
  expect(near.length / shown.length).toBeGreaterThanOrEqual(0.9)
})

test('a site without scripts ends with the packing', () => {
  const model = createProgressModel()
  const note = (stage: ExportProgress['stage'], pagesDone: number, at: number) =>
    model.note({ stage, pagesDone, pagesKnown: 10, pageCount: pagesDone }, at)
  expect(note('fetch', 10, 1000)).toEqual({ stage: 'fetch', percent: 45, leftMs: null })
  expect(note('archive', 5, 2000).percent).toBe(89.5)
  expect(note('archive', 10, 3000).percent).toBe(99)
})

test('the progress stays when more pages are found or opened than expected', () => {
  const model = createProgressModel()
  const note = (stage: ExportProgress['stage'], pagesDone: number, pagesKnown: number) =>
    model.note({ stage, pagesDone, pagesKnown, pageCount: 1 }, 0).percent
  expect([note('fetch', 5, 10), note('fetch', 6, 100)]).toEqual([22.5, 22.5])
  note('look', 0, 10)
  expect([note('check', 10, 10), note('check', 11, 30)]).toEqual([99, 99])
})
