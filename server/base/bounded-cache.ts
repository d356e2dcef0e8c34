/**
 * A map that remembers between `limit` and twice `limit` entries: when the young half is full, the old half is dropped.
 * Cheaper than strict least-recently-used, and what is in use survives.
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

  /** Entries held, those held twice counted twice. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}
