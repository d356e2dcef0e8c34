import { FailureStreak } from './failure-streak.ts'
import { FetchError } from './fetch-error.ts'
import { backoffMs, type FailureKind } from './retry.ts'

/**
 * Decides, for all requests of one export, whether a failed request is sent again and when.
 *
 * - A request is repeated at most `retries` times, and not after its attempts took twice the time limit of one request.
 *   While a server answers 429 or sends Retry-After, four times as many retries are allowed.
 * - All requests to a host together may be repeated 200 times, and once more for each four good answers.
 * - A host that fails three times in a row is paused, a little longer each time. If it does not recover within twice the
 *   time limit of one request, its requests are no longer repeated. If it does not even answer, no more requests are sent
 *   to it: a host that is down costs minutes and not hours.
 */
export interface HostHealth {
  /** @throws {FetchError} the last failure of a host that no longer answers. */
  check(host: string): void
  noteAnswer(host: string): void
  /** Returns the milliseconds to wait before the next attempt; null = do not try again. */
  noteFailure(host: string, failure: Failure, attempts: Attempts): number | null
}

export interface Failure {
  kind: FailureKind
  /** The error of later requests to the host, if this failure was its last. */
  error: FetchError
  /** What the server asked for; null = nothing. */
  retryAfterMs: number | null
}

/** The failed attempts at one address. */
export interface Attempts {
  count: number
  /** When the current attempt was sent, in time of `now()`. */
  sentAtMs: number
  /** Duration of the failed attempts, without the waits between them. */
  spentMs: number
}

export interface HostHealthOptions {
  /** Retries of one request. */
  retries: number
  /** Time limit of one request. */
  pageTimeoutMs: number
  /** Lets no request to this host begin for this time. */
  pause(host: string, ms: number): void
  /** The wait before the first retry. */
  firstDelayMs?: number
  /** For tests. */
  now?(): number
  random?(): number
}

/** Retries of one host, and how many good answers allow one more. */
const maxTokens = 200
const answersPerToken = 4
/** Retries of a request to a host that has never answered: its address may be wrong. */
const firstRetries = 2
/** How many more retries a request may have when the server asks for a wait. */
const busyFactor = 4

interface Host {
  hasAnswered: boolean
  tokens: number
  /** Null after a good answer. */
  streak: FailureStreak | null
  /** The error of all further requests; null while the host is in use. */
  lastError: FetchError | null
}

export function createHostHealth(options: HostHealthOptions): HostHealth {
  const { retries, pageTimeoutMs, pause, firstDelayMs = 400 } = options
  const { now = () => performance.now(), random = Math.random } = options
  const patienceMs = 2 * pageTimeoutMs
  const hosts = new Map<string, Host>()

  function findHost(name: string): Host {
    const found = hosts.get(name) ?? { hasAnswered: false, tokens: maxTokens, streak: null, lastError: null }
    hosts.set(name, found)
    return found
  }

  function extendStreak(name: string, host: Host, failure: Failure, { sentAtMs }: Attempts): void {
    const nowMs = now()
    host.streak ??= new FailureStreak(nowMs, patienceMs)
    const backoff = { firstMs: firstDelayMs, random: random() }
    const pauseMs = host.streak.add({ ...failure, sentAtMs, nowMs }, backoff, host.hasAnswered)
    if (pauseMs > 0) pause(name, pauseMs)
  }

  function mayRetry(host: Host, { kind }: Failure, { count, spentMs }: Attempts): boolean {
    const isBusy = kind === 'busy'
    const most = isBusy ? busyFactor * retries : host.hasAnswered ? retries : Math.min(firstRetries, retries)
    if (count > most || spentMs >= patienceMs) return false
    if (isBusy) return true
    if (host.tokens < 1) return false
    host.tokens -= 1
    return true
  }

  return {
    check(name) {
      const last = hosts.get(name)?.lastError
      if (!last) return
      const error = new FetchError(last.code, last.message, { cause: last.cause })
      error.isFinal = true
      throw error
    },
    noteAnswer(name) {
      const host = findHost(name)
      host.hasAnswered = true
      host.tokens = Math.min(maxTokens, host.tokens + 1 / answersPerToken)
      host.streak = null
    },
    noteFailure(name, failure, attempts) {
      const host = findHost(name)
      attempts.count += 1
      attempts.spentMs += now() - attempts.sentAtMs
      if (failure.kind === 'passing') host.streak = null
      else extendStreak(name, host, failure, attempts)
      const hasEnded = host.streak?.isOver(now()) ?? false
      const isRetried = !hasEnded && mayRetry(host, failure, attempts)
      if (failure.kind === 'connection' && (hasEnded || (!isRetried && !host.hasAnswered)))
        host.lastError = failure.error
      if (!isRetried) return null
      const delayMs = backoffMs(attempts.count - 1, firstDelayMs, random())
      return Math.max(delayMs, failure.retryAfterMs ?? 0)
    },
  }
}
