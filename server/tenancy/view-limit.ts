/** Page views that an address may send in a minute: enough for an office behind one address, too few to fake a success. */
export const maxViewsPerMinute = 300
const minuteMs = 60_000
/** A flood from many addresses does not fill the memory. */
const maxAddresses = 100_000

/** Limits how many page views an address sends. */
export interface ViewLimit {
  /** Counts a view of an address. Returns in how many seconds it may send again; 0 = it is accepted. */
  take(address: string): number
}

/** Creates a limit of this process: each counts its own, as each is asked by a part of the readers. */
export function createViewLimit(now: () => number, perMinute = maxViewsPerMinute): ViewLimit {
  const counted = new Map<string, number>()
  let startedAt = now()
  return {
    take(address) {
      const elapsedMs = now() - startedAt
      if (elapsedMs >= minuteMs || elapsedMs < 0 || counted.size >= maxAddresses) {
        counted.clear()
        startedAt = now()
      }
      const views = (counted.get(address) ?? 0) + 1
      if (views > perMinute) return Math.max(1, Math.ceil((minuteMs - elapsedMs) / 1000))
      counted.set(address, views)
      return 0
    },
  }
}
