import type { Day } from '../day.ts'

/** The previous day of a first visit: before every day, since none is negative. */
export const never = -1

/** The page number that stands for the whole site. */
export const site = 0

/**
 * Counters of one day in columns, an entry each: of the visitors of a page on that day whose previous visit to it was on
 * another day, or `never`, how many were seen as a human, as AI, and at all. Numbers may be negative where a change is
 * meant.
 *
 * Every visitor of a range is counted once, on the first day inside it, so the unique visitors of `[from, to)` are the sum
 * of the counters with from <= day < to and previous < from.
 */
export interface Cells {
  length: number
  previous: Int32Array
  /** Page numbers of the project, `site` among them. */
  pages: Uint32Array
  human: Int32Array
  ai: Int32Array
  total: Int32Array
}

/** Makes columns with room for `capacity` counters, and none in them. */
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

/** Adds a counter at the end; room for it must be there. */
export function pushCell(cells: Cells, previous: Day, page: number, human: number, ai: number, total: number): void {
  const i = cells.length++
  cells.previous[i] = previous
  cells.pages[i] = page
  cells.human[i] = human
  cells.ai[i] = ai
  cells.total[i] = total
}
