import { setTimeout } from 'node:timers/promises'

/** Waits. Returns early, without an error, if the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
