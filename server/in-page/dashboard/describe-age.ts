const units = [
  ['year', 365 * 24 * 60 * 60_000],
  ['month', 30 * 24 * 60 * 60_000],
  ['day', 24 * 60 * 60_000],
  ['hour', 60 * 60_000],
  ['minute', 60_000],
] as const

/**
 * Says how far an instant is from now, such as `3 hours ago` and `in 29 days`.
 *
 * @param ms from now; negative = in the past
 */
export function describeAge(ms: number): string {
  const format = new Intl.RelativeTimeFormat('en')
  for (const [unit, length] of units) {
    if (Math.abs(ms) >= length) return format.format(Math.trunc(ms / length), unit)
  }
  return ms > 0 ? 'in less than a minute' : 'just now'
}
