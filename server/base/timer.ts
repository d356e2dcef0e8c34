/** Timers for work: each is cleared when the work ends, with or without an error. */

/**
 * Returns the result of the work. Fails with `makeError()` after `ms`, or with the signal's reason if it aborts first. The
 * work itself is not stopped; if it fails later, the error is ignored.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  makeError: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(makeError()), ms)
  const onAbort = () => reject(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  try {
    return await Promise.race([work, ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    work.catch(() => {})
  }
}

/** Waits for the work without a limit, and calls `act` once if the work has not ended after `ms`. */
export async function actWhenLate<T>(work: Promise<T>, ms: number, act: () => void): Promise<T> {
  const timer = setTimeout(act, ms)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/** A time limit for several steps. */
export interface Deadline {
  /** Aborts with `makeError()` when the time is up. */
  readonly signal: AbortSignal
  /** Call it when the steps are done: the signal no longer aborts. */
  clear(): void
}

export function startDeadline(ms: number, makeError: () => Error): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(makeError()), ms)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

export interface Repetition {
  /** Starts no more runs, and resolves when the current one has ended. */
  stop(): Promise<void>
}

/**
 * Runs the work every `everyMs`; the first time at once if `startsNow`, otherwise after the first interval. Runs never
 * overlap: while one takes longer than the interval, the next is skipped. The work handles its own errors. The timer
 * does not keep the process alive.
 */
export function repeat(everyMs: number, work: () => Promise<void>, { startsNow = false } = {}): Repetition {
  let running: Promise<void> | null = null
  const run = () => {
    running ??= work().finally(() => {
      running = null
    })
  }
  if (startsNow) run()
  const timer = setInterval(run, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
