import { expect, test } from 'vitest'
import { describeProgress, drawProgress } from '../../server/commands/export.ts'

test('draws bar, count, rate and time left, within the terminal', () => {
  const progress = { stage: 'fetch' as const, pagesDone: 50, pagesKnown: 200 }
  expect(drawProgress(progress, 2000, 100)).toBe(
    'Fetching   [######..................]  50/200 pages  25 pages/s  6 s left',
  )
  expect(drawProgress(progress, 100, 100)).toBe('Fetching   [######..................]  50/200 pages')
  expect(drawProgress(progress, 100_000, 100)).toContain('0.5 pages/s  5 min left')
  expect(drawProgress(progress, 2000, 30)).toHaveLength(30)
  expect(drawProgress({ stage: 'discover', pagesDone: 0, pagesKnown: 0 }, 0, 80)).toBe('Looking for pages ...')
})

test('describes a stage', () => {
  expect(describeProgress({ stage: 'render', pagesDone: 1, pagesKnown: 2 })).toBe('Rendering: 1 of 2 pages')
  const check = { stage: 'check' as const, pagesDone: 7, pagesKnown: 0 }
  expect(describeProgress(check)).toBe('Checking in a browser: 7 opened')
  expect(drawProgress(check, 2000, 80)).toBe('Checking in a browser: 7 opened')
})
