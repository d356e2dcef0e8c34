import type { Range } from './truth.ts'

/** Returns the ten ranges to compare: days, weeks, months, odd lengths, and ranges that exceed [from, to). */
export function chooseRanges(from: number, to: number): Range[] {
  const days = to - from
  const at = (share: number) => from + Math.floor(days * share)
  return [
    { from, to },
    { from: from - 10, to: to + 10 },
    { from: at(0.5), to: at(0.5) + 1 },
    { from: at(0.3), to: at(0.3) + 7 },
    { from: to - 30, to },
    { from: at(0.1), to: at(0.1) + 37 },
    { from: at(0.05), to: at(0.6) },
    { from: Math.max(from, to - 365), to },
    { from: from - 5, to: from + 2 },
    { from: at(0.33), to: at(0.97) },
  ]
}

export type Length = 'week' | 'month' | 'year' | 'odd'

export const lengths: readonly Length[] = ['week', 'month', 'year', 'odd']

/** The step between ranges. It is a prime number, so consecutive ranges are far apart and no range repeats. */
const stride = 7919
const oddDays = [211, 97, 333, 149, 251, 45, 301, 187, 367, 123, 277, 71]

/**
 * Returns `count` different ranges of a length, spread over [from, to), so that no measurement can use a cached answer. Odd
 * ranges come in pairs of equal length.
 */
export function chooseWindows(length: Length, count: number, from: number, to: number): Range[] {
  return Array.from({ length: count }, (_, i) => {
    const days = { week: 7, month: 30, year: 365, odd: oddDays[(i >> 1) % oddDays.length] as number }[length]
    const latest = Math.max(0, to - from - days)
    const start = from + Math.round(((i * stride) % count) * (latest / Math.max(1, count - 1)))
    return { from: start, to: start + days }
  })
}
