// A long file: a request of an export with its retries, and when a host that fails is given up.
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Validators } from './answer.ts'
import { backoffMs, type FailureKind, FetchError, kindOfError, kindOfStatus } from './fetch-error.ts'
import { openGuardedAgent } from './guarded-agent.ts'
import { redactAnswer, signsOut } from './login-session.ts'
import { type FetchRequest, type RequestOptions, type RequestTools, requestOnce } from './request.ts'

export type { Answer } from './answer.ts'
export { userAgent } from './request.ts'

export interface Fetcher {
  /** @param unless the server answers 304 without a body if the file still has these validators. */
  open(url: URL, accept?: string, unless?: Validators): Promise<Answer>
  /** Decompressed bytes read so far. */
  readonly totalBytes: number
  close(): Promise<void>
}

interface FetcherOptions extends RequestOptions {
  /** The origin that may be private or loopback; null = none. */
  exempt: URL | null
  alsoExempt?: readonly URL[]
  /** Creates the error that ends the export after more than `limits.totalBytes` were fetched. */
  totalExceeded(): Error
  /** For tests. */
  lookup?: LookupFunction
  firstRetryMs?: number
}

/**
 * Opens an export's only access to the network. The fetcher checks every address, follows redirects, enforces the limits,
 * and repeats requests whose failure may pass.
 */
export function openFetcher(options: FetcherOptions): Fetcher {
  const { exempt, alsoExempt = [], limits, pace, lookup, firstRetryMs } = options
  const agent = openGuardedAgent([...(exempt ? [exempt] : []), ...alsoExempt], limits, lookup)
  const health = createHostHealth({
    ...limits,
    pause: (host, ms) => pace?.pause(host, ms),
    ...(firstRetryMs === undefined ? {} : { firstDelayMs: firstRetryMs }),
  })
  let totalBytes = 0

  function countBytes(bytes: number): void {
    totalBytes += bytes
    if (totalBytes > limits.totalBytes) throw options.totalExceeded()
  }

  const tools = { ...options, agent, health, countBytes }
  return {
    async open(url, accept = '*/*', unless) {
      if (!options.login) return openWithRetries(tools, { url, accept, unless })
      if (signsOut(url)) throw new FetchError('excluded', 'not requested, because it would end the recorded login')
      return redactAnswer(await openWithRetries(tools, { url, accept, unless }), options.login.secrets)
    },
    get totalBytes() {
      return totalBytes
    },
    close: () => agent.destroy(),
  }
}

interface RetryTools extends RequestTools {
  health: HostHealth
}

/**
 * Opens an address. Repeats the request while its failure may pass, also when the body of the answer is cut while it is
 * read. Only GET requests are sent, so that a repeated request changes nothing at the server.
 */
async function openWithRetries(tools: RetryTools, request: FetchRequest): Promise<Answer> {
  const attempts: Attempts = { count: 0, sentAtMs: 0, spentMs: 0 }
  const first = await openNext(tools, request, attempts)
  let current = first

  async function reading<T>(read: (answer: Answer) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await read(current)
      } catch (error) {
        if (!(await waitAfter(tools, current.url.host, error, attempts))) throw error
        // The answer of an earlier export is no longer needed: the server has already sent a new one.
        current = await openNext(tools, { ...request, unless: undefined }, attempts)
        if (isSame(current, first)) continue
        await current.drop()
        const isFailed = kindOfStatus(current.status, null) !== null
        throw isFailed ? error : changed(current)
      }
    }
  }

  return {
    ...first,
    read: maxBytes => reading(answer => answer.read(maxBytes)),
    save: (file, maxBytes) => reading(answer => answer.save(file, maxBytes)),
    hash: maxBytes => reading(answer => answer.hash(maxBytes)),
  }
}

/** Sends the request until an answer arrives, or until no retry is left. */
async function openNext(tools: RetryTools, request: FetchRequest, attempts: Attempts): Promise<Answer> {
  const { health } = tools
  for (;;) {
    try {
      health.check(request.url.host)
      const { answer, retryAfterMs } = await requestOnce(tools, request, () => {
        attempts.sentAtMs = performance.now()
      })
      const { host } = answer.url
      const kind = kindOfStatus(answer.status, retryAfterMs)
      if (kind === null) {
        health.noteAnswer(host)
        return answer
      }
      const error = new FetchError('network', `status ${answer.status}`)
      const waitMs = health.noteFailure(host, { kind, error, retryAfterMs }, attempts)
      if (waitMs === null) return answer
      await answer.drop()
      await waitFor(tools, waitMs)
    } catch (error) {
      const { host } = (error as FetchError).redirectedTo ?? request.url
      if (!(await waitAfter(tools, host, error, attempts))) throw error
    }
  }
}

/** Waits before the next attempt after an error. Returns false if there is none. */
async function waitAfter(tools: RetryTools, host: string, error: unknown, attempts: Attempts): Promise<boolean> {
  const kind = kindOfError(error)
  const failure = kind && { kind, error: error as FetchError, retryAfterMs: null }
  const waitMs = failure && tools.health.noteFailure(host, failure, attempts)
  if (waitMs === null) return false
  await waitFor(tools, waitMs)
  return true
}

async function waitFor({ signal }: RetryTools, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
  signal.throwIfAborted()
}

function isSame(one: Answer, two: Answer): boolean {
  return one.status === two.status && one.url.href === two.url.href && one.contentType === two.contentType
}

function changed({ url }: Answer): FetchError {
  const error = new FetchError('network', `the answer of ${url.host} changed while it was read`)
  error.isFinal = true
  return error
}

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
interface HostHealth {
  /** @throws {FetchError} the last failure of a host that no longer answers. */
  check(host: string): void
  noteAnswer(host: string): void
  /** Returns the milliseconds to wait before the next attempt; null = do not try again. */
  noteFailure(host: string, failure: Failure, attempts: Attempts): number | null
}

interface Failure {
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

interface HostHealthOptions {
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
class FailureStreak {
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
