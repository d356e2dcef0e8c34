import type { Kind } from '../classify.ts'
import type { Day } from '../day.ts'

/** What an import did with each line: lines = views + filtered + malformed, each summed up. */
export interface ImportTally {
  lines: number
  /** Page views. Those of `neither` count for no visitor. */
  views: Record<Kind, number>
  /** Page views by the rule that told who made them, see `Classification`. */
  rules: Map<string, number>
  /** Requests that were no page views: not a GET, no 2xx or 304, an asset, a file for programs. */
  filtered: Record<'method' | 'status' | 'asset' | 'machine-file', number>
  /** `not-combined` = another format, `bad-date` = before 2000, a day ahead or none, `bad-path` = see `toPage`, `too-long` = over 64 KiB. */
  malformed: Record<'not-combined' | 'bad-date' | 'bad-path' | 'too-long', number>
  /** Visitors that this import was the first to see on a day, summed over its days; 0 when it is repeated. */
  newVisitorDays: number
  /** Views, among those of `views`, of days that were pruned: not counted again. */
  tooOldViews: number
  /** First and last day with a view of a visitor; undefined when there is none. */
  firstDay: Day | undefined
  lastDay: Day | undefined
}

export function emptyTally(): ImportTally {
  return {
    lines: 0,
    views: { human: 0, ai: 0, neither: 0 },
    rules: new Map(),
    filtered: { method: 0, status: 0, asset: 0, 'machine-file': 0 },
    malformed: { 'not-combined': 0, 'bad-date': 0, 'bad-path': 0, 'too-long': 0 },
    newVisitorDays: 0,
    tooOldViews: 0,
    firstDay: undefined,
    lastDay: undefined,
  }
}

export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
