import { setTimeout } from 'node:timers/promises'
import type { FollowPosition } from './follow-position.ts'
import { listLogEntries, RotationUnderWayError } from './log-entries.ts'
import { LogFinder } from './log-finder.ts'
import type { PrintHead } from './log-fingerprint.ts'

const betweenLooksMs = 100

/** Where to begin with a log that was never followed, see `LogFinder.findBeginning`; waits while files are renamed. */
export async function findFirstPosition(path: string, printHead: PrintHead): Promise<FollowPosition | null> {
  for (;;) {
    try {
      return await new LogFinder(path, printHead).findBeginning(await listLogEntries(path))
    } catch (error) {
      if (!(error instanceof RotationUnderWayError)) throw error
      await setTimeout(betweenLooksMs)
    }
  }
}
