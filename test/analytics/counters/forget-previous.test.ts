import { expect, test } from 'vitest'
import type { CellBlock } from '../../../server/analytics/counters/cell-block.ts'
import { CellChanges } from '../../../server/analytics/counters/cell-changes.ts'
import { createCells, never, pushCell, site } from '../../../server/analytics/counters/cells.ts'
import { forgetPrevious } from '../../../server/analytics/counters/forget-previous.ts'
import { mergeBlock } from '../../../server/analytics/counters/merge-block.ts'

type Cell = [previous: number, page: number, human: number, ai: number, total: number]

function toBlock(list: readonly Cell[]): CellBlock | undefined {
  const cells = createCells(list.length)
  for (const cell of list) pushCell(cells, ...cell)
  return mergeBlock(undefined, cells, page => page)
}

/** Returns the counters of a day after the previous days before `before` were forgotten. */
function forget(list: readonly Cell[], before: number) {
  const block = toBlock(list) as CellBlock
  const changes = new CellChanges()
  forgetPrevious(changes, { day: 20, block, before, pageOf: index => index + 1 })
  let after: CellBlock | undefined = block
  for (const [, cells] of changes.byDay()) after = mergeBlock(after, cells, page => page)
  return after
}

/** Page 1 and the site, on day 20, by the previous day. */
const counters = (days: readonly number[]): Cell[] =>
  days.flatMap((day): Cell[] => [
    [day, 1, 2, 1, 3],
    [day, site, 2, 1, 3],
  ])

test.each([
  [10, counters([never, 10, 12])],
  [11, [[never, 1, 4, 2, 6] as Cell, [never, site, 4, 2, 6] as Cell, ...counters([12])]],
  [13, [[never, 1, 6, 3, 9] as Cell, [never, site, 6, 3, 9] as Cell]],
])('counters with a previous day before %d become those of new visitors, and later ones stay', (before, want) => {
  expect(forget(counters([never, 10, 12]), before)).toEqual(toBlock(want))
})
