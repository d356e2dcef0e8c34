/** How a request ended: with an answer, because the server has too much to do, or for a reason that says nothing about it. */
export type TurnOutcome = 'answered' | 'overloaded' | 'unknown'

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

  /** Raises the maximum. */
  allow(max: number): void {
    const isNew = this.isNew
    this.#max = Math.max(this.#max, max)
    if (isNew) this.#limit = Math.min(firstLimit, this.#max)
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
