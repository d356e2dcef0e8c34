import { setTimeout as sleep } from 'node:timers/promises'

/** Delays between requests to a host, as its robots.txt requires. */
export interface Pace {
  /** Sets the delay between two requests to this host; 0 = none. */
  slowDown(host: string, delayMs: number): void
  /** Returns the delays set so far. */
  delays(): [host: string, delayMs: number][]
  /** Resolves when a request to this host may begin. */
  turn(host: string, signal: AbortSignal): Promise<void>
}

export function createPace(): Pace {
  const delays = new Map<string, number>()
  const nextAt = new Map<string, number>()
  return {
    slowDown: (host, delayMs) => void delays.set(host, delayMs),
    delays: () => [...delays],
    async turn(host, signal) {
      const delayMs = delays.get(host) ?? 0
      if (delayMs === 0) return
      const now = performance.now()
      const at = Math.max(now, nextAt.get(host) ?? 0)
      nextAt.set(host, at + delayMs)
      if (at > now) await sleep(at - now, undefined, { signal })
    },
  }
}
