import { setTimeout as sleep } from 'node:timers/promises'
import { AdaptiveLimit, type TurnOutcome } from './adaptive-limit.ts'

export type { TurnOutcome } from './adaptive-limit.ts'

/** Decides when requests to a host may begin, for all exports of this process together. */
export interface HostTurns {
  /**
   * Opens the turns of one export. The caller closes them.
   *
   * @param isOwn whether a host belongs to the operator. Other hosts get at most `maxForOthers` requests at once.
   */
  open(isOwn?: (host: string) => boolean): Pace
}

/** Max parallel requests to a host whose operator may not know about the export. */
export const maxForOthers = 16
/** Max hosts without requests whose limits are remembered. */
const maxRemembered = 1000

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
  turn(host: string, signal: AbortSignal): Promise<EndTurn>
  /** Lets no request to this host begin for this time, for all exports. */
  pause(host: string, ms: number): void
  /** Ends all turns of this export. */
  close(): void
}

/** Ends the turn of a request; 'unknown' without an outcome. Only the first call counts. */
export type EndTurn = (outcome?: TurnOutcome) => void

/**
 * Creates the turns of all exports. How many requests to a host are under way at once depends on the host; see
 * `AdaptiveLimit`.
 *
 * @param maxRequests the maximum for one host, from all exports together.
 */
export function createHostTurns(maxRequests: number): HostTurns {
  const hosts = new Map<string, HostQueue>()
  function findHost(host: string, isOwn: boolean): HostQueue {
    const found = hosts.get(host) ?? new HostQueue(queue => forget(host, queue))
    hosts.set(host, found)
    found.allow(isOwn ? maxRequests : Math.min(maxRequests, maxForOthers))
    return found
  }
  /** Forgets an idle host if nothing is known about it, or if too many are known: the longest known first. */
  function forget(host: string, queue: HostQueue): void {
    if (queue.isNew) hosts.delete(host)
    if (hosts.size <= maxRemembered) return
    for (const [name, other] of hosts) if (other.isIdle) return void hosts.delete(name)
  }
  return { open: (isOwn = () => true) => openPace(host => findHost(host, isOwn(host))) }
}

function openPace(findHost: (host: string) => HostQueue): Pace {
  const delays = new Map<string, number>()
  const held = new Set<EndTurn>()
  const self = {}

  return {
    slowDown: (host, delayMs) => void delays.set(host, delayMs),
    delays: () => [...delays],
    async turn(host, signal) {
      signal.throwIfAborted()
      const queue = findHost(host)
      await queue.wait(self, delays.get(host) ?? 0, signal)
      const beganMs = performance.now()
      const end: EndTurn = (outcome = 'unknown') => {
        if (held.delete(end)) queue.end(outcome, beganMs)
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
  readonly #limit = new AdaptiveLimit()
  readonly #onIdle: (queue: HostQueue) => void
  /** Waiting requests by export. The export that was served last comes last. */
  readonly #waiting = new Map<object, Waiter[]>()
  #open = 0
  /** When the next request with a delay may begin, in time of `performance.now()`. */
  #delayedUntil = 0
  /** When any request may begin, in the same time. */
  #pausedUntil = 0
  #sleeping = new AbortController()

  constructor(onIdle: (queue: HostQueue) => void) {
    this.#onIdle = onIdle
  }

  /** Raises the maximum of parallel requests. */
  allow(maxRequests: number): void {
    this.#limit.allow(maxRequests)
  }

  /** Whether nothing was learned about the host yet. */
  get isNew(): boolean {
    return this.#limit.isNew
  }

  get isIdle(): boolean {
    return this.#open === 0 && this.#waiting.size === 0
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
  end(outcome: TurnOutcome, beganMs: number): void {
    this.#open -= 1
    this.#limit.end(outcome, beganMs, performance.now())
    this.#serve()
  }

  #serve(): void {
    this.#sleeping.abort()
    while (this.#open < this.#limit.limit) {
      const owner = this.#findNext()
      if (!owner) break
      this.#begin(owner)
    }
    if (this.#open >= this.#limit.limit) {
      if (this.#waiting.size > 0) this.#limit.noteFull(performance.now())
      return
    }
    this.#limit.noteIdle()
    const isPaused = performance.now() < this.#pausedUntil
    const waitMs = (isPaused ? this.#pausedUntil : this.#delayedUntil) - performance.now()
    if (this.#waiting.size > 0) this.#serveAfter(Math.max(0, waitMs))
    else if (this.#open === 0 && waitMs <= 0) this.#onIdle(this)
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
