import { HashSlots } from '../hash-table.ts'

/**
 * Maps the id of a page in a block to the page's number, and the number to the rank of the page's path among all paths.
 * Page numbers have no gaps. The hash table does not hash ids because an id is already a hash.
 */
export class PageDirectory {
  readonly #slots = new HashSlots(1024)
  #ids = new Float64Array(1024)
  #size = 0
  #ranks: { ofPage: Uint32Array; pages: Uint32Array } | undefined

  /** Number of pages. All page numbers are below it. */
  get size(): number {
    return this.#size
  }

  /** Adds a page and gives it the next number. */
  add(id: number): void {
    if (this.#size === this.#ids.length) this.#grow()
    this.#ids[this.#size] = id
    const slots = this.#slots
    for (let number = slots.first(hashOf(id)); number !== -1; ) number = slots.next()
    slots.add(this.#size++)
    this.#ranks = undefined
  }

  /** @throws {RangeError} when no page has the id. */
  numberOf(high: number, low: number): number {
    const id = high * 2 ** 32 + low
    const slots = this.#slots
    for (let number = slots.first(low | 0); number !== -1; number = slots.next())
      if (this.#ids[number] === id) return number
    throw new RangeError(`The counters contain page ${id}, which the project does not have.`)
  }

  /**
   * @param listNumbers returns the numbers of all pages in the order of their paths; called only if pages were added
   * since the last call.
   */
  ranks(listNumbers: () => Uint32Array): { ofPage: Uint32Array; pages: Uint32Array } {
    if (this.#ranks) return this.#ranks
    const pages = listNumbers()
    const ofPage = new Uint32Array(this.#size)
    for (const [rank, page] of pages.entries()) ofPage[page] = rank
    this.#ranks = { ofPage, pages }
    return this.#ranks
  }

  #grow(): void {
    const ids = this.#ids
    this.#ids = new Float64Array(ids.length * 2)
    this.#ids.set(ids)
  }
}

/** Returns the lower half of an id as an Int32. */
function hashOf(id: number): number {
  return (id % 2 ** 32) | 0
}
