import type { ImportTally } from '../import/import-tally.ts'

const minLines = 100

/** Whether the log has lines but none in a known format; then no position is stored. */
export function isAllUnread({ lines, malformed }: ImportTally): boolean {
  return lines > 0 && malformed['wrong-format'] + malformed['too-long'] === lines
}

/** Describes a log for which `isAllUnread` holds, for the operator. */
export function describeUnread(log: string, { lines }: ImportTally): string {
  return `${log}: none of ${lines} lines is in a known format. Set the format (see --help): the next start reads the lines again.`
}

/** Warns once when all lines so far are unreadable; not for the first few, which may be startup messages of the server. */
export function createFormatWarning(log: string, warn: (message: string) => void): (tally: ImportTally) => void {
  let isWarned = false
  return tally => {
    if (isWarned || tally.lines < minLines || !isAllUnread(tally)) return
    isWarned = true
    warn(describeUnread(log, tally))
  }
}
