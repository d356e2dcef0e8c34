import type { Awaitable } from '../base/awaitable.ts'
import type { Day } from './day.ts'
import type { ViewBatch } from './view-batch.ts'

/** A range of days. Without `dateFrom` it begins with the first visit, without `dateTo` it ends with the last one. */
export interface DayRange {
  dateFrom?: Day
  /** Exclusive. */
  dateTo?: Day
}

/** Distinct visitors. */
export interface VisitorCounts {
  human: number
  ai: number
  /** Visitors seen as human, as AI, or as both, counted once. */
  total: number
}

export interface PageVisitors extends VisitorCounts {
  path: string
}

export interface UniqueVisitors {
  /** Visitors of the whole site. */
  totals: VisitorCounts
  /** By page: highest total first, then by path in byte order. */
  visitors: PageVisitors[]
  /** Whether there are pages after the last of `visitors`; false when it is empty. */
  hasMore: boolean
}

export interface UniqueVisitorCounter {
  /** Counts each visitor once in the whole range, on however many days they came. An unknown project has no visitors. */
  countUniqueVisitors(
    projectId: string,
    range: DayRange,
    page: { limit: number; offset: number },
  ): Awaitable<UniqueVisitors>
}

/** How far a log was read, see `VisitRecorder`. */
export interface LogPosition {
  /** Name of the log. */
  log: string
  /** What the reader needs to resume. Contains no text of the log. */
  position: string
}

/** Counts of a recorded batch. */
export interface RecordedViews {
  /** Visitors that were new to the site on a day, summed over the days. */
  newVisitorDays: number
  /** Views of pruned days, see `pruneSeen`: it is no longer known whether they were counted before. */
  tooOldViews: number
}

export interface VisitRecorder {
  /**
   * Adds all page views of a batch in one transaction; views already recorded change nothing. A position is stored in the
   * same transaction. Without one the views cannot be read again, so they survive a power failure once this settles.
   *
   * @throws {Error} when the project does not exist.
   */
  recordBatch(projectId: string, batch: ViewBatch, position?: LogPosition): Awaitable<RecordedViews>
  /**
   * Records how far a log with visits of several projects was read. Call it after the batches of all projects, which are on
   * disk by then. After a crash before this call, their lines are read again and none counts twice.
   */
  recordLogPosition(position: LogPosition): Awaitable<void>
  /**
   * Returns the last recorded position of the log; undefined when there is none.
   *
   * @param projectId undefined = the log has visits of several projects
   */
  findLogPosition(projectId: string | undefined, log: string): Awaitable<string | undefined>
  /**
   * Deletes the visitors' page views before a day; the counts stay. Ranges that begin on that day or later, or end before
   * it, stay exact. A range that spans the day counts a visitor twice if they came on both sides of it. Takes seconds for
   * large projects: do not call it in a thread that answers requests.
   *
   * @returns how many days of visitors were deleted
   */
  pruneSeen(projectId: string, before: Day): Awaitable<number>
  /** Deletes all visits of a project and the positions of its logs. */
  deleteVisits(projectId: string): Awaitable<void>
  /**
   * Returns the secret of the visitor hash: 32 bytes in `visitor.key` beside the database, created if there are no visits
   * yet.
   *
   * @throws {OperatorError} when it is unreadable or damaged, or missing although visits were counted with it.
   */
  openVisitorKey(): Awaitable<Uint8Array>
}
