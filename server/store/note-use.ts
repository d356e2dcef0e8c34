import { UnavailableError } from '../base/unavailable-error.ts'
import type { WriteQueue } from './write-queue.ts'

/** A time of use is stored to the minute, so frequent use does not cause a write per request. */
export const useResolutionMs = 60_000

export interface Use {
  id: string
  /** The stored time of the last use; null = none. */
  storedAt: number | null
  now: number
}

/**
 * Returns a function that stores the time of a use, later if the database is locked. It ignores a database that cannot be
 * written now, so read-only requests still work.
 *
 * @param write runs the writes that nobody waits for.
 */
export function createUseNotes(
  write: WriteQueue['write'],
  store: (use: { id: string; now: number }) => unknown,
): (use: Use) => void {
  /** Ids whose time of use waits to be written. */
  const waiting = new Set<string>()

  return ({ id, storedAt, now }) => {
    // A last use in the future was stored before the clock was set back.
    if (Math.abs(now - (storedAt ?? 0)) < useResolutionMs || waiting.has(id)) return
    try {
      const noted = write(() => void store({ id, now }))
      if (!(noted instanceof Promise)) return
      waiting.add(id)
      noted.catch(() => {}).finally(() => waiting.delete(id))
    } catch (error) {
      const isUnwritable = /^SQLITE_(BUSY|FULL|READONLY|IOERR)/.test(String((error as { code?: unknown }).code))
      if (!isUnwritable && !(error instanceof UnavailableError)) throw error
    }
  }
}
