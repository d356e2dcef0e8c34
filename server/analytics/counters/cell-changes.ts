import type { Day } from '../day.ts'
import { type Cells, createCells, pushCell } from './cells.ts'

const firstCapacity = 4096

/**
 * Sums up what a batch changes in the counters of its days: a hash table over plain columns, since a batch changes
 * millions.
 */
export class CellChanges {
  #size = 0
  #mask = firstCapacity - 1
  /** Where the cell of a slot stands in the columns, plus one; 0 is a free slot. */
  #slots = new Uint32Array(firstCapacity)
  #days = new Int32Array(firstCapacity / 2)
  #cells = createCells(firstCapacity / 2)

  add(day: Day, previous: Day, page: number, human: number, ai: number, total: number): void {
    const i = this.#find(day, previous, page)
    const cells = this.#cells
    cells.human[i] = (cells.human[i] as number) + human
    cells.ai[i] = (cells.ai[i] as number) + ai
    cells.total[i] = (cells.total[i] as number) + total
  }

  /** The changes of each day, cells in no order; without those that came to nothing. */
  *byDay(): Generator<[Day, Cells]> {
    const cells = this.#cells
    const ofDay = new Map<Day, number[]>()
    for (let i = 0; i < this.#size; i++) {
      if (cells.human[i] === 0 && cells.ai[i] === 0 && cells.total[i] === 0) continue
      const day = this.#days[i] as number
      const list = ofDay.get(day)
      if (list) list.push(i)
      else ofDay.set(day, [i])
    }
    for (const day of [...ofDay.keys()].sort((a, b) => a - b)) {
      const list = ofDay.get(day) as number[]
      const changed = createCells(list.length)
      for (const i of list) copyCell(cells, i, changed)
      yield [day, changed]
    }
  }

  #find(day: Day, previous: Day, page: number): number {
    const { previous: previousDays, pages } = this.#cells
    for (let slot = mix(day, previous, page) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const i = (this.#slots[slot] as number) - 1
      if (i === -1) return this.#insert(slot, day, previous, page)
      if (this.#days[i] === day && previousDays[i] === previous && pages[i] === page) return i
    }
  }

  #insert(slot: number, day: Day, previous: Day, page: number): number {
    if (this.#size === this.#days.length) {
      this.#grow()
      return this.#find(day, previous, page)
    }
    const i = this.#size++
    this.#slots[slot] = i + 1
    this.#days[i] = day
    pushCell(this.#cells, previous, page, 0, 0, 0)
    return i
  }

  #grow(): void {
    const old = { days: this.#days, cells: this.#cells }
    const capacity = this.#slots.length * 2
    this.#mask = capacity - 1
    this.#slots = new Uint32Array(capacity)
    this.#days = new Int32Array(capacity / 2)
    this.#cells = createCells(capacity / 2)
    this.#days.set(old.days)
    for (let i = 0; i < this.#size; i++) {
      copyCell(old.cells, i, this.#cells)
      let slot = mix(old.days[i] as number, old.cells.previous[i] as number, old.cells.pages[i] as number) & this.#mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
      this.#slots[slot] = i + 1
    }
  }
}

function copyCell(from: Cells, i: number, to: Cells): void {
  const { previous, pages, human, ai, total } = from
  pushCell(to, previous[i] as number, pages[i] as number, human[i] as number, ai[i] as number, total[i] as number)
}

/** Any good mixing does; the constants are those of MurmurHash3. */
function mix(day: Day, previous: Day, page: number): number {
  let hash = Math.imul(page, 0xcc9e2d51) ^ Math.imul(day + 1, 0x1b873593) ^ Math.imul(previous + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
  return hash ^ (hash >>> 13)
}
