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
    note: (fields: Partial<ExportProgress> = {}) =>
      board.note('se_1', { stage: 'fetch', pagesDone: 1, pagesKnown: 10, pageCount: 1, ...fields }),
  }
}

test('knows only the jobs that this process works on', () => {
  const { board, note } = watch()
  expect(board.find('se_1')).toBeUndefined()
  note()
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
    note({ pageCount: second <= 30 ? second : 30 + (second - 30) * 5 })
  }
  expect(board.find('se_1')?.pagesPerSecond).toBe(5)
  at(69_000)
  expect(board.find('se_1')?.pagesPerSecond).toBeCloseTo(45 / 18)
})

test('each stage has its own speed', () => {
  const { board, at, note } = watch()
  note({ pageCount: 0 })
  at(4000)
  note({ pageCount: 400 })
  at(5000)
  note({ stage: 'archive', pageCount: 1 })
  expect(board.find('se_1')).toMatchObject({ stage: 'archive', pagesPerSecond: null })
  at(7000)
  note({ stage: 'archive', pageCount: 5 })
  expect(board.find('se_1')?.pagesPerSecond).toBe(2)
})

test('has the time left of the progress model, and counts the time since the last report', () => {
  const { board, at, note } = watch()
  note({ stage: 'check', pagesDone: 0, pagesKnown: 20 })
  at(28_000)
  note({ stage: 'check', pagesDone: 14, pagesKnown: 20 })
  expect(board.find('se_1')?.leftMs).toBe(6000)
  at(35_000)
  expect(board.find('se_1')?.leftMs).toBe(7500)
})
