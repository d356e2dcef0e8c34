/**
 * A map that keeps between `limit` and twice `limit` entries: when the young half is full, it replaces the old half.
 * This is cheaper than strict least-recently-used eviction. Entries in use stay.
 */
export class BoundedCache<Key, Value> {
  readonly #limit: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#limit) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  /** The number of entries. An entry in both halves counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}
