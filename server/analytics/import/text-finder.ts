/**
 * Finds which of many texts another text contains, in a time that its length alone bounds (Aho and Corasick, 1975). Searching for
 * one after another takes 20 ms where a file has 2,000 texts such as `aab`, and a user agent is 1,024 times `a`.
 */
export class TextFinder {
  /** By number of a beginning of texts: the next beginning for each character. */
  readonly #next: Map<number, number>[] = [new Map()]
  /** By number of a beginning: its longest end that is a beginning, too. */
  readonly #shorter: number[] = [0]
  /** By number of a beginning: the first text that ends with it. */
  readonly #found: number[] = [Number.POSITIVE_INFINITY]

  constructor(texts: readonly string[]) {
    for (const [index, text] of texts.entries()) this.#add(text, index)
    // From shorter to longer beginnings.
    const states = [...(this.#next[0] as Map<number, number>).values()]
    for (const state of states) {
      for (const [character, next] of this.#next[state] as Map<number, number>) {
        const shorter = this.#step(this.#shorter[state] as number, character)
        this.#shorter[next] = shorter
        this.#found[next] = Math.min(this.#found[next] as number, this.#found[shorter] as number)
        states.push(next)
      }
    }
  }

  /** Returns the index of the first of the texts that the given one contains; undefined = none. */
  find(text: string): number | undefined {
    let state = 0
    let first = Number.POSITIVE_INFINITY
    for (let at = 0; at < text.length; at++) {
      state = this.#step(state, text.charCodeAt(at))
      first = Math.min(first, this.#found[state] as number)
    }
    return Number.isFinite(first) ? first : undefined
  }

  #add(text: string, index: number): void {
    let state = 0
    for (let at = 0; at < text.length; at++) {
      const nexts = this.#next[state] as Map<number, number>
      const character = text.charCodeAt(at)
      let next = nexts.get(character)
      if (next === undefined) {
        next = this.#next.push(new Map()) - 1
        this.#shorter.push(0)
        this.#found.push(Number.POSITIVE_INFINITY)
        nexts.set(character, next)
      }
      state = next
    }
    this.#found[state] = Math.min(this.#found[state] as number, index)
  }

  #step(state: number, character: number): number {
    for (let from = state; ; from = this.#shorter[from] as number) {
      const next = this.#next[from]?.get(character)
      if (next !== undefined) return next
      if (from === 0) return 0
    }
  }
}
