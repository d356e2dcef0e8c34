import type { ImportTally } from '../import/import-tally.ts'

const enoughLines = 100

/** Whether there are lines, and not one is in a format that is known: then no position is kept. */
export function isAllUnread({ lines, malformed }: ImportTally): boolean {
  return lines > 0 && malformed['wrong-format'] + malformed['too-long'] === lines
}

/** Of a log that `isAllUnread`, for the operator. */
export function describeUnread(log: string, { lines }: ImportTally): string {
  return `${log}: not one of ${lines} lines is in a format that is known. See the flag for the format in --help: the next start reads them again.`
}

/** Says once that all lines so far are in another format. Not of the first few: they may be what a server says as it starts. */
export function createFormatWarning(log: string, warn: (message: string) => void): (tally: ImportTally) => void {
  let isSaid = false
  return tally => {
    if (isSaid || tally.lines < enoughLines || !isAllUnread(tally)) return
    isSaid = true
    warn(describeUnread(log, tally))
  }
}
