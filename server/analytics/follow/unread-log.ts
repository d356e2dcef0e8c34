import type { ImportTally } from '../import/import-tally.ts'
import { isUnread } from '../import/suspicions.ts'

const minLines = 100

/** Returns whether the log has lines, but none in a known format. If so, no position is stored. */
export function isAllUnread(tally: ImportTally): boolean {
  return isUnread(tally)
}

/** Returns the message to the operator about a log for which `isAllUnread` is true. */
export function describeUnread(log: string, { lines }: ImportTally): string {
  return `${log}: none of ${lines} lines is in a known format. Set the format (see --help): the next start reads the lines again.`
}

/**
 * Creates a function that warns once when all lines so far are unreadable. It does not warn about the first lines,
 * because they may be startup messages of the server.
 */
export function createFormatWarning(log: string, warn: (message: string) => void): (tally: ImportTally) => void {
  let isWarned = false
  return tally => {
    if (isWarned || tally.lines < minLines || !isAllUnread(tally)) return
    isWarned = true
    warn(describeUnread(log, tally))
  }
}
