/**
 * A map that keeps between `limit` and twice `limit` entries, or the entries of such a size: when the young half is full, it
 * replaces the old half. This is cheaper than strict least-recently-used eviction. Entries in use stay.
 */
export class BoundedCache<Key, Value> {
  readonly #limit: number
  readonly #sizeOf: (key: Key, value: Value) => number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #youngSize = 0

  /** @param sizeOf returns the size of an entry. One that is larger than the limit is not kept. */
  constructor(limit: number, sizeOf: (key: Key, value: Value) => number = () => 1) {
    this.#limit = limit
    this.#sizeOf = sizeOf
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    const size = this.#sizeOf(key, value)
    if (size > this.#limit) return
    if (this.#youngSize + size > this.#limit) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngSize = 0
    }
    if (!this.#young.has(key)) this.#youngSize += size
    this.#young.set(key, value)
  }

  /** The number of entries. An entry in both halves counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}
