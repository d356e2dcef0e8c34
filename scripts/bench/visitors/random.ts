/** Pseudorandom numbers (mulberry32). The same seed gives the same numbers on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** Returns an integer in [0, count). */
  below(count: number): number {
    return Math.floor(this.next() * count)
  }
}

/**
 * Picks n in [0, count) with a probability proportional to 1/(n + 1), in constant time (Walker's alias method). A binary
 * search would take most of the time for generating a line.
 */
export function createZipf(count: number, random: Random): () => number {
  const weights = Float64Array.from({ length: count }, (_, i) => 1 / (i + 1))
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / count
  const keep = weights.map(weight => weight / mean)
  const instead = new Uint32Array(count)
  const small: number[] = []
  const large: number[] = []
  for (const [i, share] of keep.entries()) (share < 1 ? small : large).push(i)
  while (small.length > 0 && large.length > 0) {
    const poor = small.pop() as number
    const rich = large.at(-1) as number
    instead[poor] = rich
    keep[rich] = (keep[rich] as number) - (1 - (keep[poor] as number))
    if ((keep[rich] as number) < 1) small.push(large.pop() as number)
  }
  for (const rest of [...small, ...large]) keep[rest] = 1 // rounding
  return () => {
    const at = random.next() * count
    const column = Math.floor(at)
    return at - column < (keep[column] as number) ? column : (instead[column] as number)
  }
}

/** Permutes the 32-bit numbers (0 stays 0) by the finalizer of MurmurHash3, which is invertible. */
export function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
