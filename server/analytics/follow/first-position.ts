import { setTimeout } from 'node:timers/promises'
import type { FollowPosition } from './follow-position.ts'
import { listLogEntries, RotationUnderWayError } from './log-entries.ts'
import { LogFinder } from './log-finder.ts'
import type { FingerprintHead } from './log-fingerprint.ts'

const retryDelayMs = 100

/** Finds the start position in a log that was never followed, see `LogFinder.findBeginning`. Waits during renames. */
export async function findFirstPosition(
  path: string,
  fingerprintHead: FingerprintHead,
): Promise<FollowPosition | null> {
  for (;;) {
    try {
      return await new LogFinder(path, fingerprintHead).findBeginning(await listLogEntries(path))
    } catch (error) {
      if (!(error instanceof RotationUnderWayError)) throw error
      await setTimeout(retryDelayMs)
    }
  }
}
