import { setTimeout } from 'node:timers/promises'

/** Waits, or returns at once when the signal ends the wait. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
