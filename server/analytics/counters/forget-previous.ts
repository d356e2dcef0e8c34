import type { Day } from '../day.ts'
import type { CellBlock } from './cell-block.ts'
import type { CellChanges } from './cell-changes.ts'
import { never, site } from './cells.ts'

/**
 * Counts who was there before a day as never seen: what it takes to forget them. For ranges that begin on that day or later
 * it is the same, and the chains of days that are left begin with `never`, as late lines need it.
 *
 * @param pageOf the page number of an id in the block, by its index
 */
export function forgetPrevious(
  changes: CellChanges,
  day: Day,
  block: CellBlock,
  before: Day,
  pageOf: (index: number) => number,
): void {
  const move = (previous: Day, page: number, human: number, ai: number, total: number) => {
    changes.add(day, previous, page, -human, -ai, -total)
    changes.add(day, never, page, human, ai, total)
  }
  const { previous, ends, pages, human, ai, total } = block
  for (let group = 0, i = 0; group < previous.length && (previous[group] as number) < before; group++) {
    const from = previous[group] as number
    for (const end = ends[group] as number; i < end; i++) {
      if (from === never) continue
      move(from, pageOf(pages[i] as number), human[i] as number, ai[i] as number, total[i] as number)
    }
  }
  const ofSite = block.site
  for (let i = 0; i < ofSite.previous.length && (ofSite.previous[i] as number) < before; i++) {
    const from = ofSite.previous[i] as number
    if (from === never) continue
    move(from, site, ofSite.human[i] as number, ofSite.ai[i] as number, ofSite.total[i] as number)
  }
}
