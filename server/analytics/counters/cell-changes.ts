import type { Day } from '../day.ts'
import { type Cells, createCells, pushCell } from './cells.ts'

const firstCapacity = 4096
/**
 * Numbers per cell: day, previous day, page, human, AI, total, and two unused. A cell fills half a cache line and never
 * spans two cache lines.
 */
const stride = 8

/**
 * Sums the changes of a batch to the counters of its days. The hash table uses one array of numbers because a batch
 * changes millions of counters, and each separate column would cost a cache miss. HashSlots would double the memory of the
 * slots, and made batches of 3,000 counters 13 % slower.
 */
export class CellChanges {
  #size = 0
  #mask = firstCapacity - 1
  /** Index of the slot's cell + 1; 0 = free. */
  #slots = new Uint32Array(firstCapacity)
  #cells = new Int32Array((firstCapacity / 2) * stride)

  /** Adds to a counter. The parameters are separate because an object would be allocated for every counter. */
  add(day: Day, previous: Day, page: number, human: number, ai: number, total: number): void {
    const at = this.#find(day, previous, page) * stride
    const cells = this.#cells
    cells[at + 3] = (cells[at + 3] as number) + human
    cells[at + 4] = (cells[at + 4] as number) + ai
    cells[at + 5] = (cells[at + 5] as number) + total
  }

  /** Yields the changes of each day. Days are ascending; the cells of a day are unsorted. Omits zero sums. */
  *byDay(): Generator<[Day, Cells]> {
    const cells = this.#cells
    const ofDay = new Map<Day, number[]>()
    for (let i = 0; i < this.#size; i++) {
      const at = i * stride
      if (cells[at + 3] === 0 && cells[at + 4] === 0 && cells[at + 5] === 0) continue
      const day = cells[at] as number
      const list = ofDay.get(day)
      if (list) list.push(at)
      else ofDay.set(day, [at])
    }
    for (const day of [...ofDay.keys()].sort((a, b) => a - b)) {
      const list = ofDay.get(day) as number[]
      const changed = createCells(list.length)
      for (const at of list) pushFrom(cells, at, changed)
      yield [day, changed]
    }
  }

  #find(day: Day, previous: Day, page: number): number {
    const cells = this.#cells
    for (let slot = mix(day, previous, page) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const i = (this.#slots[slot] as number) - 1
      if (i === -1) return this.#insert(slot, day, previous, page)
      const at = i * stride
      // The comparison of Int32 values is exact because a page number has up to 31 bits.
      if (cells[at] === day && cells[at + 1] === previous && cells[at + 2] === page) return i
    }
  }

  #insert(slot: number, day: Day, previous: Day, page: number): number {
    if (this.#size * stride === this.#cells.length) {
      this.#grow()
      return this.#find(day, previous, page)
    }
    const i = this.#size++
    this.#slots[slot] = i + 1
    this.#cells[i * stride] = day
    this.#cells[i * stride + 1] = previous
    this.#cells[i * stride + 2] = page
    return i
  }

  #grow(): void {
    const capacity = this.#slots.length * 2
    const cells = new Int32Array((capacity / 2) * stride)
    cells.set(this.#cells)
    this.#cells = cells
    this.#mask = capacity - 1
    this.#slots = new Uint32Array(capacity)
    for (let i = 0; i < this.#size; i++) {
      const at = i * stride
      let slot = mix(cells[at] as number, cells[at + 1] as number, cells[at + 2] as number) & this.#mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
      this.#slots[slot] = i + 1
    }
  }
}

function pushFrom(cells: Int32Array, at: number, changed: Cells): void {
  const [previous, page] = [cells[at + 1] as number, cells[at + 2] as number]
  pushCell(changed, previous, page, cells[at + 3] as number, cells[at + 4] as number, cells[at + 5] as number)
}

/** Hashes a key with the constants of MurmurHash3. */
function mix(day: Day, previous: Day, page: number): number {
  let hash = Math.imul(page, 0xcc9e2d51) ^ Math.imul(day + 1, 0x1b873593) ^ Math.imul(previous + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
  return hash ^ (hash >>> 13)
}
