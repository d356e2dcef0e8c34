/** Returns the next number, from 0 to below 1. */
export type Random = () => number

/** Creates a generator of numbers that look random. The same seed gives the same numbers on every machine (mulberry32). */
export function createRandom(seed: string): Random {
  let state = hash(seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns a number from `least` to below `limit`. */
export function pickInteger(random: Random, least: number, limit: number): number {
  return least + Math.floor(random() * (limit - least))
}

/** Returns random hexadecimal digits. */
export function pickDigits(random: Random, count: number): string {
  return Array.from({ length: count }, () => pickInteger(random, 0, 16).toString(16)).join('')
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value
}
