import type { Awaitable } from '../base/awaitable.ts'
import type { Day } from './day.ts'
import type { ViewBatch } from './view-batch.ts'

/** From the first visit when `dateFrom` is missing, up to the last one when `dateTo` is. */
export interface DayRange {
  dateFrom?: Day
  /** Exclusive. */
  dateTo?: Day
}

/** Distinct visitors. */
export interface VisitorCounts {
  human: number
  ai: number
  /** Who was seen as a human, as AI, or as both, counted once. */
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
  /** Counts each visitor once in the whole range, however many days it spans. An unknown project has no visitors. */
  countUniqueVisitors(
    projectId: string,
    range: DayRange,
    page: { limit: number; offset: number },
  ): Awaitable<UniqueVisitors>
}

/** How far a log is read, see `VisitRecorder`. */
export interface LogPosition {
  /** Names the log. */
  log: string
  /** Whatever its reader needs to go on. Nothing of what stands in the log. */
  position: string
}

/** What was new in a batch. */
export interface RecordedViews {
  /** Visitors that were new on a day of the site, summed over the days. */
  newVisitorDays: number
  /** Views of days that were pruned, see `pruneSeen`: nobody knows any more whether they are counted already. */
  tooOldViews: number
}

export interface VisitRecorder {
  /**
   * Adds page views to the set of what was seen, all of them or none; views that are in it change nothing. With them, in the
   * same transaction, how far the log is read; without that, nobody may read them again, and no power cut takes them.
   *
   * @throws {Error} when there is no such project.
   */
  recordBatch(projectId: string, batch: ViewBatch, position?: LogPosition): Awaitable<RecordedViews>
  /**
   * Records how far a log is read that tells the visits of several projects: behind the batches of all of them, which are
   * safe on disk by then. Whoever ends before it reads their lines again, and counts nothing twice.
   */
  recordLogPosition(position: LogPosition): Awaitable<void>
  /**
   * What was last recorded as the position of the log; undefined when nothing was.
   *
   * @param projectId undefined = of a log of several projects
   */
  findLogPosition(projectId: string | undefined, log: string): Awaitable<string | undefined>
  /**
   * Forgets who saw what before a day; what was counted stays. Ranges that begin on that day or later, or end before it, are
   * exact as before. One that begins earlier and ends later counts those twice who came both before and since. Takes
   * seconds where there is much: not for a thread that answers requests.
   *
   * @returns how many days of visitors were forgotten
   */
  pruneSeen(projectId: string, before: Day): Awaitable<number>
  /** Forgets all visits of a project, and how far its logs were read. */
  deleteVisits(projectId: string): Awaitable<void>
  /**
   * The secret of the visitor hash: 32 bytes in `visitor.key` beside the database, made when there are no visits yet.
   *
   * @throws {OperatorError} when it is unreadable or damaged, or missing though visits were counted with it.
   */
  openVisitorKey(): Awaitable<Uint8Array>
}
