import type { Day } from '../day.ts'

/** The previous day of a first visit. It sorts before every day because days are not negative. */
export const never = -1

/** The page number of the whole site. */
export const site = 0

/**
 * Counters of one day in columns, one entry per page and previous day. An entry counts the page's visitors on the day
 * whose last earlier visit to the page was on the entry's previous day (or `never`): as human, as AI, and in total. In a
 * change, counts may be negative.
 *
 * A range counts each visitor once, on their first day in the range. So the unique visitors of `[from, to)` are the sum
 * of the counters with from <= day < to and previous < from.
 */
export interface Cells {
  length: number
  previous: Int32Array
  /** Page numbers of the project, including `site`. */
  pages: Uint32Array
  human: Int32Array
  ai: Int32Array
  total: Int32Array
}

/** Creates empty columns with room for `capacity` counters. */
export function createCells(capacity: number): Cells {
  return {
    length: 0,
    previous: new Int32Array(capacity),
    pages: new Uint32Array(capacity),
    human: new Int32Array(capacity),
    ai: new Int32Array(capacity),
    total: new Int32Array(capacity),
  }
}

/**
 * Appends a counter; the columns must have room for it. The parameters are separate because an object would be allocated
 * for every counter.
 */
export function pushCell(cells: Cells, previous: Day, page: number, human: number, ai: number, total: number): void {
  const i = cells.length++
  cells.previous[i] = previous
  cells.pages[i] = page
  cells.human[i] = human
  cells.ai[i] = ai
  cells.total[i] = total
}
