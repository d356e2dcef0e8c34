import type { Day } from '../day.ts'
import type { CellBlock } from './cell-block.ts'
import type { CellChanges } from './cell-changes.ts'
import { never, site } from './cells.ts'

export interface ForgetOptions {
  day: Day
  /** The counters of `day`. */
  block: CellBlock
  /** Previous days before this day are replaced by `never`. */
  before: Day
  /** Returns the page number of the id at an index in the block. */
  pageOf(index: number): number
}

/**
 * Adds the changes that move counters with a previous day before `before` to `never`. The visits of those previous days
 * can then be deleted. Ranges that begin on `before` or later keep their counts. The remaining chains of days begin with
 * `never`, because log lines that arrive late require it.
 */
export function forgetPrevious(changes: CellChanges, { day, block, before, pageOf }: ForgetOptions): void {
  // The parameters are separate because an object would be allocated for every counter.
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
