import type { KeptBody } from '../../export/model/site-cache.ts'

/** Counts the bytes of stored bodies up to a limit. */
export class BodyBudget {
  readonly #maxBytes: number
  #sizes: Map<string, number>
  #totalBytes: number

  /** @param sizes bytes of each stored body by hash. */
  constructor(maxBytes: number, sizes: Iterable<readonly [string, number]>) {
    this.#maxBytes = maxBytes
    this.#sizes = new Map(sizes)
    this.#totalBytes = sum(this.#sizes.values())
  }

  /** Counts a body as stored. Returns false if there is no room for it. */
  claim({ sha256, sizeBytes }: KeptBody): boolean {
    if (this.#sizes.has(sha256)) return true
    if (this.#totalBytes + sizeBytes > this.#maxBytes) return false
    this.#sizes.set(sha256, sizeBytes)
    this.#totalBytes += sizeBytes
    return true
  }

  /** Replaces the counted bodies with these. */
  reset(sizes: Iterable<readonly [string, number]>): void {
    this.#sizes = new Map(sizes)
    this.#totalBytes = sum(this.#sizes.values())
  }

  hashes(): ReadonlySet<string> {
    return new Set(this.#sizes.keys())
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}
