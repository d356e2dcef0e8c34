import { setTimeout as sleep } from 'node:timers/promises'

/** Decides when requests to a host may begin, for all exports of this process together. */
export interface HostTurns {
  /** Opens the turns of one export. The caller closes them. */
  open(): Pace
}

/** The turns of one export, and the delays that robots.txt requires of it. */
export interface Pace {
  /** Sets the delay between two requests to this host; 0 = none. */
  slowDown(host: string, delayMs: number): void
  /** Returns the delays set so far. */
  delays(): [host: string, delayMs: number][]
  /**
   * Resolves when a request to this host may begin. The caller calls the returned function when the answer was read,
   * dropped or failed.
   */
  turn(host: string, signal: AbortSignal): Promise<() => void>
  /** Lets no request to this host begin for this time, for all exports. */
  pause(host: string, ms: number): void
  /** Ends all turns of this export. */
  close(): void
}

/** @param maxRequests how many requests to one host may be under way at once, from all exports together. */
export function createHostTurns(maxRequests: number): HostTurns {
  const hosts = new Map<string, HostQueue>()
  const findHost = (host: string): HostQueue => {
    const found = hosts.get(host) ?? new HostQueue(maxRequests, () => hosts.delete(host))
    hosts.set(host, found)
    return found
  }
  return { open: () => openPace(findHost) }
}

function openPace(findHost: (host: string) => HostQueue): Pace {
  const delays = new Map<string, number>()
  const held = new Set<() => void>()
  const self = {}

  return {
    slowDown: (host, delayMs) => void delays.set(host, delayMs),
    delays: () => [...delays],
    async turn(host, signal) {
      signal.throwIfAborted()
      const queue = findHost(host)
      await queue.wait(self, delays.get(host) ?? 0, signal)
      const end = () => {
        if (held.delete(end)) queue.end()
      }
      held.add(end)
      return end
    },
    pause: (host, ms) => findHost(host).pause(ms),
    close() {
      for (const end of held) end()
    },
  }
}

interface Waiter {
  delayMs: number
  begin(): void
}

/** The requests to one host. Exports take turns, so an export with many requests does not hold up one with few. */
class HostQueue {
  readonly #maxRequests: number
  readonly #onIdle: () => void
  /** Waiting requests by export. The export that was served last comes last. */
  readonly #waiting = new Map<object, Waiter[]>()
  #open = 0
  /** When the next request with a delay may begin, in time of `performance.now()`. */
  #delayedUntil = 0
  /** When any request may begin, in the same time. */
  #pausedUntil = 0
  #sleeping = new AbortController()

  constructor(maxRequests: number, onIdle: () => void) {
    this.#maxRequests = maxRequests
    this.#onIdle = onIdle
  }

  /** Resolves when a request of this export may begin. Rejects with the reason of the signal. */
  wait(owner: object, delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#remove(owner, waiter)
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const waiter = { delayMs, begin }
      signal.addEventListener('abort', leave, { once: true })
      const waiters = this.#waiting.get(owner) ?? []
      waiters.push(waiter)
      this.#waiting.set(owner, waiters)
      this.#serve()
    })
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms)
  }

  /** Ends a request that has begun. */
  end(): void {
    this.#open -= 1
    this.#serve()
  }

  #serve(): void {
    this.#sleeping.abort()
    while (this.#open < this.#maxRequests) {
      const owner = this.#findNext()
      if (!owner) break
      this.#begin(owner)
    }
    if (this.#open === this.#maxRequests) return
    const isPaused = performance.now() < this.#pausedUntil
    const waitMs = (isPaused ? this.#pausedUntil : this.#delayedUntil) - performance.now()
    if (this.#waiting.size > 0) this.#serveAfter(Math.max(0, waitMs))
    else if (this.#open === 0 && waitMs <= 0) this.#onIdle()
  }

  #serveAfter(delayMs: number): void {
    this.#sleeping = new AbortController()
    const { signal } = this.#sleeping
    const serve = () => {
      if (!signal.aborted) this.#serve()
    }
    sleep(delayMs, undefined, { signal }).then(serve, () => {})
  }

  /** Returns the export whose turn it is; undefined when none may begin a request now. */
  #findNext(): object | undefined {
    if (performance.now() < this.#pausedUntil) return undefined
    const isDelayed = performance.now() < this.#delayedUntil
    for (const [owner, [waiter]] of this.#waiting) if (waiter?.delayMs === 0 || !isDelayed) return owner
    return undefined
  }

  #begin(owner: object): void {
    const waiters = this.#waiting.get(owner) ?? []
    const waiter = waiters.shift()
    this.#waiting.delete(owner)
    if (waiters.length > 0) this.#waiting.set(owner, waiters)
    if (!waiter) return
    this.#open += 1
    if (waiter.delayMs > 0) this.#delayedUntil = performance.now() + waiter.delayMs
    waiter.begin()
  }

  #remove(owner: object, waiter: Waiter): void {
    const others = this.#waiting.get(owner)?.filter(other => other !== waiter) ?? []
    if (others.length > 0) this.#waiting.set(owner, others)
    else this.#waiting.delete(owner)
    this.#serve()
  }
}
