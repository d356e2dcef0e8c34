import { pause } from './pause.ts'
import { UnavailableError } from './unavailable-error.ts'

const pauseMs = 1000

/** How long to repeat a write. */
export interface Patience {
  limitMs: number
  /** Ends the waiting; the error of the write is thrown then. */
  signal: AbortSignal
  /** Called before the first wait. */
  onWait?(error: unknown): void
}

/** Repeats a write while the database is locked, the disk is full or the storage of the bundles cannot be reached. */
export async function untilStored<T>(write: () => T | Promise<T>, { limitMs, signal, onWait }: Patience): Promise<T> {
  const endsAt = performance.now() + limitMs
  for (let waits = 0; ; waits += 1) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof UnavailableError) || signal.aborted || performance.now() >= endsAt) throw error
      if (waits === 0) onWait?.(error)
      await pause(pauseMs, signal)
    }
  }
}
