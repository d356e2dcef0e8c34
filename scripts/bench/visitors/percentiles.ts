export interface Percentiles {
  requests: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  maxMs: number
}

/** Returns percentiles by nearest rank; NaN when there are no times. */
export function toPercentiles(timesMs: readonly number[]): Percentiles {
  const sorted = timesMs.toSorted((a, b) => a - b)
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { requests: sorted.length, p50Ms: rank(0.5), p95Ms: rank(0.95), p99Ms: rank(0.99), maxMs: rank(1) }
}
