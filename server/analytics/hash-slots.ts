/**
 * Finds numbers by hash, with open addressing. The caller keeps the keys, and compares them:
 *
 * ```
 * for (let number = slots.first(hash); number !== -1; number = slots.next()) if (isSame(number)) return number
 * slots.add(newNumber)
 * ```
 *
 * A cursor is used because a callback for the comparison made each search up to a tenth slower.
 */
export class HashSlots {
  /** Two values per slot: a hash, and its number + 1; 0 = free. At least half of the slots are free. */
  #slots: Int32Array
  #size = 0
  /** Hash of the last search, and the slot where it stands. */
  #hash = 0
  #slot = 0

  /** @param minEntries entries that fit before the first growth; a power of two. */
  constructor(minEntries: number) {
    this.#slots = new Int32Array(minEntries * 4)
  }

  /** Starts a search. Returns a number with this hash (an Int32), in no certain order; -1 = none. */
  first(hash: number): number {
    this.#hash = hash
    this.#slot = (hash << 1) & (this.#slots.length - 2)
    return this.#seek()
  }

  /** Continues the search. Returns another number with the hash; -1 = none. */
  next(): number {
    this.#slot = (this.#slot + 2) & (this.#slots.length - 2)
    return this.#seek()
  }

  /** Adds a number with the hash of the last search, which must have returned -1. */
  add(number: number): void {
    if (this.#size * 4 === this.#slots.length) this.#grow()
    this.#slots[this.#slot] = this.#hash
    this.#slots[this.#slot + 1] = number + 1
    this.#size++
  }

  clear(): void {
    this.#slots.fill(0)
    this.#size = 0
  }

  #seek(): number {
    const slots = this.#slots
    const last = slots.length - 2
    const hash = this.#hash
    let slot = this.#slot
    while (slots[slot + 1] !== 0 && slots[slot] !== hash) slot = (slot + 2) & last
    this.#slot = slot
    return (slots[slot + 1] as number) - 1
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Int32Array(old.length * 2)
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue
      const slot = this.#findFree(old[from] as number)
      this.#slots[slot] = old[from] as number
      this.#slots[slot + 1] = old[from + 1] as number
    }
    this.#slot = this.#findFree(this.#hash)
  }

  #findFree(hash: number): number {
    const last = this.#slots.length - 2
    let slot = (hash << 1) & last
    while (this.#slots[slot + 1] !== 0) slot = (slot + 2) & last
    return slot
  }
}
