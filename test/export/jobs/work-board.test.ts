import { expect, test } from 'vitest'
import { createWorkBoard } from '../../../server/export/jobs/work-board.ts'
import type { ExportProgress } from '../../../server/export/model/options.ts'

function watch() {
  let tick = 5000
  const board = createWorkBoard(() => tick)
  return {
    board,
    at: (ms: number) => {
      tick = 5000 + ms
    },
    note: (percent: number, fields: Partial<ExportProgress> = {}) =>
      board.note('se_1', { stage: 'fetch', pagesDone: 1, pagesKnown: 10, pageCount: 1, ...fields }, percent),
  }
}

test('knows only the jobs that this process works on', () => {
  const { board, note } = watch()
  expect(board.find('se_1')).toBeUndefined()
  note(0)
  expect(board.find('se_1')).toEqual({
    stage: 'fetch',
    pagesDone: 1,
    pagesKnown: 10,
    pagesPerSecond: null,
    leftMs: null,
  })
  expect(board.find('se_2')).toBeUndefined()
  board.end('se_1')
  expect(board.find('se_1')).toBeUndefined()
})

test('measures the speed over the last seconds', () => {
  const { board, at, note } = watch()
  for (let second = 0; second <= 60; second += 1) {
    at(second * 1000)
    note(second / 2, { pageCount: second <= 30 ? second : 30 + (second - 30) * 5 })
  }
  expect(board.find('se_1')?.pagesPerSecond).toBe(5)
  at(69_000)
  expect(board.find('se_1')?.pagesPerSecond).toBeCloseTo(45 / 18)
})

test('each stage has its own speed', () => {
  const { board, at, note } = watch()
  note(0, { pageCount: 0 })
  at(4000)
  note(80, { pageCount: 400 })
  at(5000)
  note(81, { stage: 'archive', pageCount: 1 })
  expect(board.find('se_1')).toMatchObject({ stage: 'archive', pagesPerSecond: null })
  at(7000)
  note(82, { stage: 'archive', pageCount: 5 })
  expect(board.find('se_1')?.pagesPerSecond).toBe(2)
})

test('estimates the time left from what this process did, once that is enough', () => {
  const { board, at, note } = watch()
  note(40)
  at(1000)
  note(60)
  expect(board.find('se_1')?.leftMs).toBeNull()
  at(4000)
  expect(board.find('se_1')?.leftMs).toBe(8000)
  note(44)
  expect(board.find('se_1')?.leftMs).toBeNull()
})

test('gives no estimate while more pages are found', () => {
  const { board, at, note } = watch()
  for (let second = 0; second < 20; second += 1) {
    at(second * 1000)
    note(second * 2, { pagesKnown: Math.min(20 + second, 28) })
    const { leftMs = null } = board.find('se_1') ?? {}
    // The last new page was found at 8 s, and 10 readings are remembered.
    if (second < 17) expect([second, leftMs]).toEqual([second, null])
    else expect(leftMs).toBeGreaterThan(0)
  }
})
