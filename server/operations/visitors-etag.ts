import type { DayRange, Revision } from '../analytics/unique-visitors.ts'
import type { Deps } from './deps.ts'

/** What an answer depends on besides the code. */
export interface VisitorsQuestion {
  projectId: string
  mediaType: string
  range: DayRange
  /** undefined = all pages */
  page?: { limit: number; offset: number }
}

/** Raise it when the same counts give another answer than in the last release, because clients keep ETags. */
const form = 1

/**
 * Returns the ETag of an answer without computing the answer. It depends on the counts by their revision only: no answer
 * depends on the current time, because a range without dateTo ends with the last visit. Nobody can guess the ETag of an answer,
 * because a revision is random and never sent.
 */
export function visitorsETag(
  { projectId, mediaType, range, page }: VisitorsQuestion,
  revision: Revision,
  { hashText }: Pick<Deps, 'hashText'>,
): string {
  const { dateFrom = null, dateTo = null } = range
  const { limit = null, offset = null } = page ?? {}
  const parts = [form, projectId, revision, mediaType, dateFrom, dateTo, limit, offset]
  return `W/"${hashText(JSON.stringify(parts)).slice(0, 22)}"`
}
