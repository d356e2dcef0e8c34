import { expect, test } from 'vitest'
import { describeProgress, drawProgress } from '../../server/commands/export.ts'

test('draws a bar of the whole export, its stage and the time left, within the terminal', () => {
  const progress = { stage: 'fetch' as const, pagesDone: 50, pagesKnown: 200 }
  const line = '[######..................]  25 %  Fetching: 50 of 200 pages'
  expect(drawProgress(progress, { percent: 25, leftMs: null }, 100)).toBe(line)
  expect(drawProgress(progress, { percent: 25, leftMs: 5200 }, 100)).toBe(`${line}  about 6 s left`)
  expect(drawProgress(progress, { percent: 25, leftMs: 290_000 }, 100)).toBe(`${line}  about 5 min left`)
  expect(drawProgress(progress, { percent: 25, leftMs: null }, 30)).toHaveLength(30)
})

test('describes a stage', () => {
  expect(describeProgress({ stage: 'discover', pagesDone: 0, pagesKnown: 0 })).toBe('Looking for pages')
  expect(describeProgress({ stage: 'render', pagesDone: 1, pagesKnown: 2 })).toBe('Rendering: 1 of 2 pages')
  const check = { stage: 'check' as const, pagesDone: 7, pagesKnown: 20 }
  expect(describeProgress(check)).toBe('Checking in a browser: 7 of about 20')
})
