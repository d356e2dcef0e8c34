import type { CountsAtRevision, DayRange, PageVisitors, Revision } from '../../analytics/unique-visitors.ts'
import type { VisitCountReader } from '../../analytics/visit-counts.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { RankedPages, Window } from './visit-reader.ts'

/** The visits as the thread reads them that counts visitors. */
export interface CountedVisits extends VisitCountReader {
  findRevision(projectId: string): Awaitable<Revision>
  countAtRevision(projectId: string, range: DayRange, window: Window): Awaitable<CountsAtRevision>
  rankPages(projectId: string, range: DayRange): Awaitable<RankedPages>
  /** Lists the pages from `from` to `to` (exclusive) with their paths. */
  nameAll(projectId: string, ranked: RankedPages, from: number, to: number): Awaitable<PageVisitors[]>
}
