import type { Answer } from './answer.ts'

/** What an entry needs besides its body: the key, the headers and the objects. */
const overheadBytes = 2048

/**
 * Keeps answers with their bodies, up to `maxBytes` together. It has two halves: when the young half is full, it replaces the
 * old one. Entries in use stay.
 */
export class AnswerCache {
  readonly #halfBytes: number
  #young = new Map<string, Answer>()
  #old = new Map<string, Answer>()
  #youngBytes = 0

  constructor(maxBytes: number) {
    this.#halfBytes = maxBytes / 2
  }

  get(key: string): Answer | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, answer: Answer): void {
    const bytes = overheadBytes + key.length + (answer.body?.length ?? 0)
    if (bytes > this.#halfBytes) return
    if (this.#youngBytes + bytes > this.#halfBytes) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    this.#young.set(key, answer)
    this.#youngBytes += bytes
  }

  clear(): void {
    this.#young = new Map()
    this.#old = new Map()
    this.#youngBytes = 0
  }
}
