/**
 * Something that parts of a server tell while they work. It does nothing while nobody listens. There is one object for each in a process,
 * so that a value needs no path through the layers between the part and its listener.
 */
export class Measure<Value> {
  readonly #listeners = new Set<(value: Value) => void>()

  /** Whether a value would be used. */
  get isHeard(): boolean {
    return this.#listeners.size > 0
  }

  tell(value: Value): void {
    for (const listener of this.#listeners) listener(value)
  }

  /** Returns a function that ends the listening. */
  listen(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
