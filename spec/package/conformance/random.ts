/** A source of random choices that repeats for a seed. */
export interface Random {
  /** A number from 0 to below 1. */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number
  pick<T>(list: readonly T[]): T
  /** True in the given share of the calls. */
  chance(share: number): boolean
}

/** Creates the choices of a seed. Each name has an independent sequence. */
export function createRandom(seed: number, name = ''): Random {
  let state = seed >>> 0
  for (const char of name) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  // The generator mulberry32 of Tommy Ettinger, which is in the public domain.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: list => {
      if (list.length === 0) throw new RangeError('There is nothing to pick from.')
      return list[Math.floor(next() * list.length)] as (typeof list)[number]
    },
    chance: share => next() < share,
  }
}
