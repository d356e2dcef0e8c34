/**
 * Maps the id of a page in a block to the page's number, and the number to the rank of the page's path among all paths.
 * Page numbers have no gaps. The hash table does not hash ids because an id is already a hash.
 */
export class PageDirectory {
  #slots = new Int32Array(2048).fill(-1)
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
    this.#insert(this.#size++)
    this.#ranks = undefined
  }

  /** @throws {RangeError} when no page has the id. */
  numberOf(high: number, low: number): number {
    const mask = this.#slots.length - 1
    const id = high * 2 ** 32 + low
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number
      if (number === -1) throw new RangeError(`The counters contain page ${id}, which the project does not have.`)
      if (this.#ids[number] === id) return number
    }
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

  #insert(number: number): void {
    const mask = this.#slots.length - 1
    let slot = ((this.#ids[number] as number) % 2 ** 32) & mask
    while (this.#slots[slot] !== -1) slot = (slot + 1) & mask
    this.#slots[slot] = number
  }

  #grow(): void {
    const ids = this.#ids
    this.#ids = new Float64Array(ids.length * 2)
    this.#ids.set(ids)
    this.#slots = new Int32Array(ids.length * 4).fill(-1)
    for (let number = 0; number < this.#size; number++) this.#insert(number)
  }
}
