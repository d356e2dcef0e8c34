import type { Awaitable } from '../base/awaitable.ts'
import { UnavailableError } from '../base/unavailable-error.ts'

/** How long a call waits for a lock that another process holds. Clients get their answer within 5 s, also a 503. */
export const lockPatienceMs = 4500

const firstPauseMs = 1
const longestPauseMs = 10
/** How long waiting writes may run before other events of the process get their turn. */
const turnMs = 5

/**
 * Runs calls on a database that never waits for a lock (`busy_timeout = 0`). A call that meets a lock of another process is
 * repeated later, so the event loop does not wait.
 */
export interface WriteQueue {
  /**
   * Runs a write: at once if no other write waits, otherwise after those that came before it.
   *
   * @throws {UnavailableError} if the lock stays for `patienceMs`, or the disk is full. The write changed nothing.
   */
  write<T>(work: () => T, patienceMs?: number): Awaitable<T>
  /** Runs a read at once. It joins the writes only if it meets a lock, which is rare: a WAL lets readers and a writer work. */
  read<T>(work: () => T): Awaitable<T>
  /** Returns how many calls wait. */
  countWaiting(): number
  /** Refuses the writes that still wait. */
  close(): void
}

interface Waiting {
  endsAt: number
  /** Runs the work. Throws only if it meets the lock. */
  attempt(): void
  refuse(error: unknown): void
}

export function createWriteQueue(): WriteQueue {
  const waiting: Waiting[] = []
  let pauseMs = firstPauseMs
  let timer: NodeJS.Timeout | undefined

  function attempt<T>(work: () => T, patienceMs: number): Awaitable<T> {
    try {
      return work()
    } catch (error) {
      if (!isLocked(error)) throw explain(error)
      return enqueue(work, patienceMs)
    }
  }

  function enqueue<T>(work: () => T, patienceMs: number): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    waiting.push({ endsAt: performance.now() + patienceMs, attempt: () => resolve(work()), refuse: reject })
    timer ??= setTimeout(takeTurn, pauseMs)
    return promise
  }

  function takeTurn(): void {
    refuseLate()
    const turnEndsAt = performance.now() + turnMs
    let isBlocked = false
    for (let next = waiting[0]; next && !isBlocked && performance.now() < turnEndsAt; next = waiting[0]) {
      try {
        next.attempt()
      } catch (error) {
        isBlocked = isLocked(error)
        if (!isBlocked) next.refuse(explain(error))
      }
      if (!isBlocked) waiting.shift()
    }
    pauseMs = isBlocked ? Math.min(2 * pauseMs, longestPauseMs) : firstPauseMs
    timer = waiting.length > 0 ? setTimeout(takeTurn, pauseMs) : undefined
  }

  function refuseLate(): void {
    const now = performance.now()
    const late = waiting.filter(({ endsAt }) => endsAt <= now)
    if (late.length === 0) return
    waiting.splice(0, waiting.length, ...waiting.filter(({ endsAt }) => endsAt > now))
    for (const { refuse } of late) refuse(locked())
  }

  return {
    write: (work, patienceMs = lockPatienceMs) =>
      waiting.length === 0 ? attempt(work, patienceMs) : enqueue(work, patienceMs),
    read: work => attempt(work, lockPatienceMs),
    countWaiting: () => waiting.length,
    close() {
      clearTimeout(timer)
      timer = undefined
      for (const { refuse } of waiting.splice(0)) refuse(locked())
    },
  }
}

/** For threads that may wait: runs everything at once, and SQLite waits for the lock. */
export const noQueue: WriteQueue = { write: work => work(), read: work => work(), countWaiting: () => 0, close() {} }

/** What a method does with the database. */
export type Access = 'reads' | 'writes'

/** Returns the same methods, run through the queue. */
export function queueCalls<Noun extends object>(
  noun: Noun,
  queue: WriteQueue,
  access: Record<keyof Noun, Access>,
): Noun {
  const methods = Object.entries(noun) as [keyof Noun, (...args: unknown[]) => unknown][]
  const queued = methods.map(([name, method]) => {
    const run = access[name] === 'writes' ? queue.write : queue.read
    return [name, (...args: unknown[]) => run(() => method(...args))]
  })
  return Object.fromEntries(queued) as Noun
}

/** Names errors of SQLite that pass, as the queue does, for threads without a queue. */
export function explainSqliteError(error: unknown): unknown {
  return isLocked(error) ? locked() : explain(error)
}

function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|PROTOCOL)/.test(codeOf(error))
}

function locked(): UnavailableError {
  return new UnavailableError('locked', 'SQLITE_BUSY')
}

function explain(error: unknown): unknown {
  const code = codeOf(error)
  // A file beside the database, such as the index of its WAL, meets a full disk with these codes.
  const isFull = /^SQLITE_(FULL|IOERR_SHMSIZE|IOERR_WRITE)$/.test(code)
  return isFull ? new UnavailableError('full', code, { cause: error }) : error
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
