import { setTimeout as sleep } from 'node:timers/promises'

// A long file: the turns of a host, and the limit of turns that their outcomes change.

/** The requests that other exports of the same server leave to this one. */
export interface HostShare {
  /** Max parallel requests to this host. */
  maxRequests(host: string): number
  /** How many exports keep the crawl delay of this host at the same time, this one included. */
  exports(host: string): number
}

/** Max parallel requests to a host whose operator may not know about the export. */
export const maxForOthers = 16
/** Max hosts without requests whose limits are remembered. */
const maxRemembered = 1000

/** Decides when requests to a host may begin, and keeps the delays that robots.txt requires. */
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
  /** Lets no request to this host begin for this time. */
  pause(host: string, ms: number): void
}

/** How a request ended: with an answer, because the server has too much to do, or for a reason that says nothing about it. */
export type TurnOutcome = 'answered' | 'overloaded' | 'unknown'

/** Ends the turn of a request; 'unknown' without an outcome. Only the first call counts. */
export type EndTurn = (outcome?: TurnOutcome) => void

/** Creates the turns of one export. How many requests to a host are under way at once depends on the host; see `AdaptiveLimit`. */
export function createPace(share: HostShare): Pace {
  const delays = new Map<string, number>()
  const hosts = new Map<string, HostQueue>()
  function findHost(host: string): HostQueue {
    const found = hosts.get(host) ?? new HostQueue(queue => forget(host, queue))
    hosts.set(host, found)
    found.allow(share.maxRequests(host))
    return found
  }
  /** Forgets an idle host if nothing is known about it, or if too many are known: the longest known first. */
  function forget(host: string, queue: HostQueue): void {
    if (queue.isNew) hosts.delete(host)
    if (hosts.size <= maxRemembered) return
    for (const [name, other] of hosts) if (other.isIdle) return void hosts.delete(name)
  }

  return {
    slowDown: (host, delayMs) => void delays.set(host, delayMs),
    delays: () => [...delays],
    async turn(host, signal) {
      signal.throwIfAborted()
      const queue = findHost(host)
      await queue.wait((delays.get(host) ?? 0) * share.exports(host), signal)
      const beganMs = performance.now()
      let isOpen = true
      return (outcome = 'unknown') => {
        if (isOpen) queue.end(outcome, beganMs)
        isOpen = false
      }
    },
    pause: (host, ms) => findHost(host).pause(ms),
  }
}

interface Waiter {
  delayMs: number
  begin(): void
}

/** The requests to one host. */
class HostQueue {
  readonly #limit = new AdaptiveLimit()
  readonly #onIdle: (queue: HostQueue) => void
  /** Waiting requests, in the order of their arrival. */
  readonly #waiting = new Set<Waiter>()
  #open = 0
  /** When the next request with a delay may begin, in time of `performance.now()`. */
  #delayedUntil = 0
  /** When any request may begin, in the same time. */
  #pausedUntil = 0
  #sleeping = new AbortController()

  constructor(onIdle: (queue: HostQueue) => void) {
    this.#onIdle = onIdle
  }

  /** Sets the maximum of parallel requests. */
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

  /** Resolves when a request may begin. Rejects with the reason of the signal. */
  wait(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter)
        this.#serve()
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const waiter = { delayMs, begin }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiter)
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
      const waiter = this.#findNext()
      if (!waiter) break
      this.#begin(waiter)
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

  /** Returns the request whose turn it is; undefined when none may begin now. */
  #findNext(): Waiter | undefined {
    if (performance.now() < this.#pausedUntil) return undefined
    const isDelayed = performance.now() < this.#delayedUntil
    for (const waiter of this.#waiting) if (waiter.delayMs === 0 || !isDelayed) return waiter
    return undefined
  }

  #begin(waiter: Waiter): void {
    this.#waiting.delete(waiter)
    this.#open += 1
    if (waiter.delayMs > 0) this.#delayedUntil = performance.now() + waiter.delayMs
    waiter.begin()
  }
}

/** Parallel requests to a host that is not known yet. */
const firstLimit = 8
/** Longer answers alone never lower the limit below this. */
const leastWhenSlow = 4
/** Twice as many requests are kept if they bring so many times the answers per second. */
const worthwhileGain = 1.2
/** Half as many requests are kept if they bring at least this part of the answers per second. */
const acceptableLoss = 0.9
/** A host is slow if its requests take this many times as long as the fastest ones did. */
const slowFactor = 2
/** A shorter round measures chance. */
const leastRoundMs = 100
/** Requests that begin within this time begin at the same moment. */
const sameMomentMs = 50
/** Rounds without a new trial after one that failed. The number doubles with each failure. */
const firstRest = 8
const longestRest = 256

interface Trial {
  limit: number
  /** Answers per millisecond before the trial. */
  rate: number
}

/**
 * Decides how many requests to a host may be under way at once.
 *
 * The limit begins at 8. It is doubled while twice as many requests bring at least a fifth more answers per second, and goes
 * back to the last value that did. If requests take more than twice as long as at the best time, half the limit is tried, and
 * kept if the host answers as much as before. When the host is overloaded (429, 503, a connection that is refused or reset), the
 * limit is halved, and then raised by one per round.
 *
 * A round ends when as many requests ended as may be under way, after at least 100 ms. It counts only if all the time
 * another request was waiting: otherwise the export and not the host decides how many are answered. Therefore a round begins
 * anew when requests begin to wait.
 */
export class AdaptiveLimit {
  #max = 1
  #limit = 1
  #startedMs = 0
  /** Requests that began earlier, when none was waiting, do not count. */
  #freshMs = Number.NEGATIVE_INFINITY
  #ended = 0
  #totalMs = 0
  /** Answers to leave out, of requests that began under a higher limit. */
  #skip = 0
  #isBusy = true
  #isOverloaded = false
  #trial: Trial | null = null
  #rest = 0
  #nextRest = firstRest
  #fastestMs = Number.POSITIVE_INFINITY
  #isCareful = false
  #halvedMs = Number.NEGATIVE_INFINITY

  /** Sets the maximum. */
  allow(max: number): void {
    const isNew = this.isNew
    this.#max = max
    this.#limit = Math.min(isNew ? firstLimit : this.#limit, max)
  }

  get limit(): number {
    return this.#limit
  }

  /** Whether nothing was learned about the host yet. */
  get isNew(): boolean {
    return this.#limit === Math.min(firstLimit, this.#max) && !this.#isCareful
  }

  /** Notes that fewer requests are under way than allowed, because none is waiting. */
  noteIdle(): void {
    this.#isBusy = false
  }

  /** Notes that as many requests are under way as allowed, and more are waiting. */
  noteFull(nowMs: number): void {
    if (this.#isBusy || this.#skip > 0) return
    this.#beginRound(nowMs)
    this.#freshMs = nowMs - sameMomentMs
  }

  /** Notes the end of a request that began at `beganMs`. */
  end(outcome: TurnOutcome, beganMs: number, nowMs: number): void {
    if (outcome === 'overloaded') this.#isOverloaded = true
    if (outcome === 'overloaded' && beganMs >= this.#halvedMs) {
      // One burst of refusals is one sign, so requests that began before do not halve the limit again.
      this.#halvedMs = nowMs
      this.#isCareful = true
      this.#trial = null
      this.#change(Math.max(1, Math.floor(this.#limit / 2)), nowMs)
      return
    }
    if (this.#skip > 0) {
      this.#skip -= 1
      if (this.#skip === 0) this.#beginRound(nowMs)
      return
    }
    if (beganMs < this.#freshMs) return
    if (this.#ended === 0 && this.#startedMs === 0) this.#startedMs = beganMs
    this.#ended += 1
    this.#totalMs += nowMs - beganMs
    const elapsedMs = nowMs - this.#startedMs
    if (this.#ended < this.#limit || elapsedMs < leastRoundMs) return
    const round = { rate: this.#ended / elapsedMs, meanMs: this.#totalMs / this.#ended, isBusy: this.#isBusy }
    const isOverloaded = this.#isOverloaded
    this.#beginRound(nowMs)
    if (!isOverloaded) this.#learn(round, nowMs)
  }

  #learn({ rate, meanMs, isBusy }: { rate: number; meanMs: number; isBusy: boolean }, nowMs: number): void {
    this.#fastestMs = Math.min(this.#fastestMs, meanMs)
    if (!isBusy) return
    if (this.#isCareful) {
      this.#change(this.#limit + 1, nowMs)
      return
    }
    const trial = this.#trial
    this.#trial = null
    if (trial && !this.#isGood(trial, rate)) {
      this.#rest = this.#nextRest
      this.#nextRest = Math.min(2 * this.#nextRest, longestRest)
      this.#change(trial.limit, nowMs)
    } else if (this.#rest > 0) this.#rest -= 1
    else this.#try(rate, meanMs, trial !== null && trial.limit < this.#limit, nowMs)
  }

  /** Begins a trial with half as many or twice as many requests. */
  #try(rate: number, meanMs: number, wasRaised: boolean, nowMs: number): void {
    const isSlow = meanMs > slowFactor * this.#fastestMs && this.#limit > leastWhenSlow
    const next = isSlow && !wasRaised ? Math.max(leastWhenSlow, this.#limit >> 1) : 2 * this.#limit
    this.#trial = { limit: this.#limit, rate }
    this.#change(next, nowMs)
    if (this.#limit === this.#trial.limit) this.#trial = null
  }

  #isGood({ limit, rate: before }: Trial, rate: number): boolean {
    return rate >= before * (this.#limit > limit ? worthwhileGain : acceptableLoss)
  }

  #change(limit: number, nowMs: number): void {
    const before = this.#limit
    this.#limit = Math.min(Math.max(1, limit), this.#max)
    this.#beginRound(nowMs)
    if (this.#limit < before) this.#skip = before
  }

  #beginRound(nowMs: number): void {
    this.#startedMs = nowMs
    this.#ended = 0
    this.#totalMs = 0
    this.#isBusy = true
    this.#isOverloaded = false
  }
}
