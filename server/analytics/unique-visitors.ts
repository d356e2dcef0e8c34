import type { Awaitable } from '../base/awaitable.ts'
import type { Day } from './day.ts'
import type { ViewBatch } from './view-batch.ts'
import type { VisitorKeys } from './visitor-keys.ts'

/** A range of days. Without `dateFrom`, it begins with the first visit. Without `dateTo`, it ends with the last visit. */
export interface DayRange {
  dateFrom?: Day
  /** Exclusive. */
  dateTo?: Day
}

/** Distinct visitors. */
export interface VisitorCounts {
  human: number
  ai: number
  /** All visitors; a visitor seen as human and as AI counts once. */
  total: number
}

export interface PageVisitors extends VisitorCounts {
  path: string
}

export interface UniqueVisitors {
  /** Visitors of the whole site. */
  totals: VisitorCounts
  /** Visitors of each page, sorted by total in descending order, then by path in byte order. */
  visitors: PageVisitors[]
  /** Whether more pages follow the last one in `visitors`; false when `visitors` is empty. */
  hasMore: boolean
}

export interface UniqueVisitorCounter {
  /** Counts each visitor once in the whole range, regardless of the number of days. An unknown project has no visitors. */
  countUniqueVisitors(
    projectId: string,
    range: DayRange,
    page: { limit: number; offset: number },
  ): Awaitable<UniqueVisitors>
}

/**
 * Identifies the counts of a project. Every change of a count replaces it by a new random value, so a value never comes
 * back. What is already counted changes nothing.
 */
export type Revision = string

/** Counts and the revision that they belong to. */
export interface CountsAtRevision extends UniqueVisitors {
  revision: Revision
}

/** All pages of a range, counted at one instant. */
export interface AllPages {
  revision: Revision
  /** Visitors of the whole site. */
  totals: VisitorCounts
  /**
   * The CSV of the pages (see `toCsvLine`) in parts, in UTF-8. Whoever does not read it to its end calls `return` of its
   * iterator: until then the counts stay in memory.
   */
  csv: AsyncIterable<Uint8Array>
}

/** Answers questions about the visitors of projects. An unknown project has no visitors. */
export interface VisitorReader {
  findRevision(projectId: string): Awaitable<Revision>
  /** See `UniqueVisitorCounter`. */
  countAtRevision(
    projectId: string,
    range: DayRange,
    page: { limit: number; offset: number },
  ): Awaitable<CountsAtRevision>
  /** Returns the pages in the order of `countUniqueVisitors`. Waits while the project has too many unread CSVs. */
  readAllPages(projectId: string, range: DayRange): Awaitable<AllPages>
}

/** The position up to which a log was read, see `VisitRecorder`. */
export interface LogPosition {
  /** Name of the log. */
  log: string
  /** The state that the reader needs to resume. It contains no text of the log. */
  position: string
}

/** Counts of a recorded batch. */
export interface RecordedViews {
  /** Visitors that were new to the site on a day, summed over the days. */
  newVisitorDays: number
  /** Views that were not recorded before; views of one visitor, page and day are one. Labels are none. */
  newViews: number
  /**
   * Views of pruned days, see `pruneSeen`, and of days whose key was destroyed, see `VisitorKeys`. The store no longer knows
   * whether they were counted before.
   */
  tooOldViews: number
}

export interface VisitRecorder {
  /**
   * Adds all page views of a batch in one transaction. Views that are already recorded change nothing. A position is
   * stored in the same transaction. Views without a position cannot be read again, so they are safe from a power failure
   * when this call settles.
   *
   * @throws {Error} when the project does not exist.
   */
  recordBatch(projectId: string, batch: ViewBatch, position?: LogPosition): Awaitable<RecordedViews>
  /**
   * Stores the position of a log that has visits of several projects. Call it after the batches of all projects were
   * recorded, because those batches are then on disk. After a crash before this call, the lines are read again and no
   * visit counts twice.
   */
  recordLogPosition(position: LogPosition): Awaitable<void>
  /**
   * Returns the last recorded position of the log; undefined when there is none.
   *
   * @param projectId undefined = the log has visits of several projects
   */
  findLogPosition(projectId: string | undefined, log: string): Awaitable<string | undefined>
  /**
   * Deletes the stored page views of visitors before a day, and keeps the counts. Ranges that begin on that day or later,
   * or end before it, stay exact. A range that spans the day counts a visitor twice if they came on both sides of it.
   * Takes seconds for large projects: do not call it in a thread that answers requests.
   *
   * @returns the number of visitor days that were deleted
   */
  pruneSeen(projectId: string, before: Day): Awaitable<number>
  /** Deletes all visits of a project and the positions of its logs. */
  deleteVisits(projectId: string): Awaitable<void>
  /**
   * Returns the secret of the data folder for logs and visitors: 32 bytes in `visitor.key` beside the database. Creates the
   * file if there are no visits yet.
   *
   * @throws {OperatorError} when the file is unreadable or damaged, or is missing although visits were counted with it.
   */
  openVisitorKey(): Awaitable<Uint8Array>
  /**
   * Returns the keys of the visitor hashes.
   *
   * @param now milliseconds since 1970; decides when a key that is created now is destroyed
   * @throws {OperatorError} see `openVisitorKey`.
   */
  openVisitorKeys(now?: () => number): Awaitable<VisitorKeys>
}
