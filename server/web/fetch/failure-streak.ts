import { backoffMs, type FailureKind } from './retry.ts'

/** Failures in a row after which a host is paused. */
const failuresBeforePause = 3
const longestPauseMs = 5000
/** Waits for a Retry-After before the host counts as down. */
const maxAskedWaits = 5

interface StreakFailure {
  kind: FailureKind
  retryAfterMs: number | null
  /** When the request was sent and when it failed. */
  sentAtMs: number
  nowMs: number
}

/** The failures of a host without a good answer between them. */
export class FailureStreak {
  readonly #sinceMs: number
  readonly #patienceMs: number
  #count = 0
  #pauses = 0
  #pausedAtMs = Number.NEGATIVE_INFINITY
  #askedWaits = 0
  /** Total of the waits that the server asked for. */
  #askedMs = 0

  /** @param patienceMs how long to wait for a good answer, besides the waits that the server asks for. */
  constructor(sinceMs: number, patienceMs: number) {
    this.#sinceMs = sinceMs
    this.#patienceMs = patienceMs
  }

  /** Returns whether the host had enough time to recover. */
  isOver(nowMs: number): boolean {
    return this.#count >= failuresBeforePause && nowMs - this.#sinceMs > this.#patienceMs + this.#askedMs
  }

  /**
   * Adds a failure, and returns how long to send nothing to the host.
   *
   * @param backoff the wait before a first retry, and a random number from 0 to 1.
   * @param mayRecover whether the host has ever answered. If not, there is nothing to wait for.
   */
  add(failure: StreakFailure, backoff: { firstMs: number; random: number }, mayRecover: boolean): number {
    const { kind, retryAfterMs, sentAtMs, nowMs } = failure
    this.#count += 1
    const isDue = kind === 'busy' || (mayRecover && this.#count >= failuresBeforePause)
    // A request that was sent before the last pause says nothing new.
    if (!isDue || this.isOver(nowMs) || sentAtMs < this.#pausedAtMs) return 0
    const askedMs = this.#askedWaits < maxAskedWaits ? (retryAfterMs ?? 0) : 0
    if (askedMs > 0) this.#askedWaits += 1
    this.#askedMs += askedMs
    const growingMs = backoffMs(this.#pauses, backoff.firstMs, backoff.random)
    this.#pauses += 1
    this.#pausedAtMs = nowMs
    return Math.max(askedMs, Math.min(growingMs, longestPauseMs))
  }
}
