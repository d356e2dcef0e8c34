/** Timers for work. Each timer is cleared when the work ends, with or without an error. */

/**
 * Returns the result of the work. Fails with `makeError()` after `ms`, or with the signal's reason if the signal aborts
 * first. The work itself is not stopped, and a later error of the work is ignored.
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

/** Waits for the work without a limit. Calls `act` once if the work has not ended after `ms`. */
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
  /** Ends the time limit when the steps are done: the signal no longer aborts. */
  clear(): void
}

export function startDeadline(ms: number, makeError: () => Error): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(makeError()), ms)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

/**
 * Runs the work every `everyMs`. The first run starts at once if `startsNow`, otherwise after the first interval. Runs
 * never overlap: while a run takes longer than the interval, the next run is skipped. The timer does not keep the process
 * alive.
 *
 * @param options.onError is told why a run failed; without it, the work must handle its errors.
 */
export function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  { startsNow = false, onError }: { startsNow?: boolean; onError?: (error: unknown) => void } = {},
) {
  let running: Promise<unknown> | null = null
  const run = () => {
    running ??= work()
      .catch(onError)
      .finally(() => {
        running = null
      })
  }
  if (startsNow) run()
  const timer = setInterval(run, everyMs)
  timer.unref()
  return {
    /** Starts no more runs. Resolves when the current run has ended. */
    async stop(): Promise<void> {
      clearInterval(timer)
      await running
    },
  }
}
