// This file uses no DOM, because the exporter also imports it to write the index.

/** A section that contains a term, and the weight of the term there. */
export type Posting = [section: number, weight: number]

/** The digits of base 64. Strings of these digits need no escapes. */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-'
const values = new Map(Array.from(digits, (digit, value) => [digit, value]))

/** The maximum weight of one term in one section. */
const maxWeight = 7
const weightSteps = 63

/** Encodes a posting as one number. These numbers sort by section. */
export function toEntry(section: number, weight: number): number {
  // The square root preserves the differences between small weights.
  const step = Math.max(1, Math.round(Math.sqrt(Math.min(weight, maxWeight) / maxWeight) * weightSteps))
  return section * 64 + step
}

/**
 * Writes ascending entries. An entry is the distance from the previous section (five bits per digit, lowest first) and one
 * digit for the weight.
 */
export function writePostings(entries: readonly number[]): string {
  let out = ''
  let before = 0
  for (const entry of entries) {
    const section = Math.floor(entry / 64)
    let distance = section - before
    before = section
    while (distance > 31) {
      out += digits[(distance % 32) + 32]
      distance = Math.floor(distance / 32)
    }
    out += digits.charAt(distance) + digits.charAt(entry % 64)
  }
  return out
}

export function readPostings(written: string): Posting[] {
  const found: Posting[] = []
  let section = 0
  for (let at = 0; at < written.length; ) {
    for (let distance = 0, unit = 1; ; unit *= 32) {
      const value = values.get(written.charAt(at++)) ?? 0
      distance += (value % 32) * unit
      if (value > 31) continue
      section += distance
      break
    }
    found.push([section, ((values.get(written.charAt(at++)) ?? 0) / weightSteps) ** 2 * maxWeight])
  }
  return found
}
