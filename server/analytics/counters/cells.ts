import type { Day } from '../day.ts'

/** The previous day of a first visit: it sorts before every day, since days are not negative. */
export const never = -1

/** The page number that stands for the whole site. */
export const site = 0

/**
 * Counters of one day in columns, one entry per page and previous day. An entry counts the visitors of the page on that day
 * whose previous visit to it was on the previous day (or `never`): as human, as AI, and in total. In a change, counts may be
 * negative.
 *
 * Each visitor of a range is counted once, on their first day in it. So the unique visitors of `[from, to)` are the sum of
 * the counters with from <= day < to and previous < from.
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

/** Appends a counter; the columns must have room for it. Called per counter: an object would be allocated each time. */
export function pushCell(cells: Cells, previous: Day, page: number, human: number, ai: number, total: number): void {
  const i = cells.length++
  cells.previous[i] = previous
  cells.pages[i] = page
  cells.human[i] = human
  cells.ai[i] = ai
  cells.total[i] = total
}
