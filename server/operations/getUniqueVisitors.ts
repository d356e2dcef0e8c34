import type { components } from '../../generated/openapi.ts'
import type { Input, Output } from '../../generated/operations.ts'
import { formatDay, parseDay } from '../analytics/day.ts'
import type { DayRange, PageVisitors, Revision, VisitorCounts } from '../analytics/unique-visitors.ts'
import type { Caller } from '../tenancy/api-key.ts'
import type { Deps } from './deps.ts'
import { unknownProject } from './unknown.ts'

type VisitorsDeps = Pick<Deps, 'projects' | 'visits' | 'hashText'>

/** Also checks that dates exist: the pattern in the document accepts 2026-02-30. */
export async function getUniqueVisitors(
  input: Input<'getUniqueVisitors'>,
  { projects, visits, hashText }: VisitorsDeps,
  caller: Caller,
): Promise<Output<'getUniqueVisitors'>> {
  const project = await projects.findOwned(caller.organizationId, input.params.projectId)
  if (!project) {
    const { error: message } = unknownProject
    return { status: 404, body: { ...unknownProject, details: [{ message }] } }
  }
  const question = readQuestion(input)
  if (Array.isArray(question)) return refuse(question)
  const { range, page } = question
  if (!page) {
    const { revision, totals, csv } = await visits.readAllPages(project.id, range)
    const headers = {
      ETag: visitorsETag(question, revision, { hashText }),
      'Visitor-Totals': `human=${totals.human}, ai=${totals.ai}, total=${totals.total}`,
      'Content-Disposition': `attachment; filename="${nameFile(project.id, range)}"`,
    }
    return { status: 200, mediaType: 'text/csv', headers, body: csv }
  }
  const { revision, totals, visitors, hasMore } = await visits.countAtRevision(project.id, range, page)
  return {
    status: 200,
    headers: { ETag: visitorsETag(question, revision, { hashText }) },
    body: { totals: toCounts(totals), visitors: visitors.map(toPage), hasMore },
  }
}

/** Returns the ETag of the answer now; undefined if the request is refused. */
export async function findVisitorsETag(
  input: Input<'getUniqueVisitors'>,
  { projects, visits, hashText }: VisitorsDeps,
  caller: Caller,
): Promise<string | undefined> {
  const project = await projects.findOwned(caller.organizationId, input.params.projectId)
  const question = project && readQuestion(input)
  if (question === undefined || Array.isArray(question)) return undefined
  return visitorsETag(question, await visits.findRevision(question.projectId), { hashText })
}

/** Returns what the request asks for, or all reasons why it is refused. */
function readQuestion({
  params: { projectId },
  query,
  mediaType,
}: Input<'getUniqueVisitors'>): VisitorsQuestion | VisitorsFault[] {
  const dateFrom = query.dateFrom === undefined ? undefined : parseDay(query.dateFrom)
  const dateTo = query.dateTo === undefined ? undefined : parseDay(query.dateTo)
  const faults: VisitorsFault[] = []
  if (query.dateFrom !== undefined && dateFrom === undefined) faults.push(noSuchDate('dateFrom'))
  if (query.dateTo !== undefined && dateTo === undefined) faults.push(noSuchDate('dateTo'))
  if (dateFrom !== undefined && dateTo !== undefined && dateFrom > dateTo) {
    const message = 'dateFrom is after dateTo. dateTo is exclusive: give the day after the last day you want.'
    faults.push({ message, field: 'dateFrom', code: 'reversed_range' })
  }
  const asksForPage = mediaType !== 'text/csv'
  for (const field of asksForPage ? (['limit', 'offset'] as const) : []) {
    // The validator accepts "Infinity" as a number within any bounds.
    if (Number.isSafeInteger(query[field])) continue
    faults.push({ message: `${field} must be a whole number ${pageRules[field]}`, field, code: 'out_of_range' })
  }
  if (faults.length > 0) return faults
  const range = { ...(dateFrom !== undefined && { dateFrom }), ...(dateTo !== undefined && { dateTo }) }
  return { projectId, mediaType, range, ...(asksForPage && { page: { limit: query.limit, offset: query.offset } }) }
}

/** In the words of the validator. */
const pageRules = { limit: 'from 1 to 250. Example: 250', offset: 'from 0 to 9007199254740991. Example: 0' }

function nameFile(projectId: string, { dateFrom, dateTo }: DayRange): string {
  const from = dateFrom === undefined ? '' : `-from-${formatDay(dateFrom)}`
  const before = dateTo === undefined ? '' : `-before-${formatDay(dateTo)}`
  return `visitors-${projectId}${from}${before}.csv`
}

// Copied field by field, so that removing a field from the document breaks the compile.
function toCounts({ human, ai, total }: VisitorCounts): components['schemas']['VisitorCounts'] {
  return { human, ai, total }
}

function toPage({ path, human, ai, total }: PageVisitors): components['schemas']['PageVisitors'] {
  return { path, human, ai, total }
}

/** See `Fault` in the document. */
interface VisitorsFault {
  message: string
  field: string
  code: 'wrong_format' | 'out_of_range' | 'reversed_range'
}

function noSuchDate(field: string): VisitorsFault {
  const message = `${field} is not a valid date or time. Example: 2026-11-20 or 2026-11-20T10:00:00Z.`
  return { message, field, code: 'wrong_format' }
}

function refuse(faults: VisitorsFault[]): Extract<Output<'getUniqueVisitors'>, { status: 400 }> {
  const error = faults.map(({ message }) => message).join(' ')
  return { status: 400, body: { error, details: faults, code: 'invalid_request' } }
}

/** What an answer depends on besides the code. */
export interface VisitorsQuestion {
  projectId: string
  mediaType: string
  range: DayRange
  /** undefined = all pages */
  page?: { limit: number; offset: number }
}

/** Raise it when the same counts give another answer than in the last release, because clients keep ETags. */
const etagForm = 1

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
  const parts = [etagForm, projectId, revision, mediaType, dateFrom, dateTo, limit, offset]
  return `W/"${hashText(JSON.stringify(parts)).slice(0, 22)}"`
}
