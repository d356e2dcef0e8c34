import type { components } from '../../generated/openapi.ts'
import type { Input, Output } from '../../generated/operations.ts'
import { parseDay } from '../analytics/day.ts'
import type { PageVisitors, VisitorCounts } from '../analytics/unique-visitors.ts'
import type { Caller } from '../tenancy/api-key.ts'
import type { Deps } from './deps.ts'

/** Also checks that dates exist: the pattern in the document accepts 2026-02-30. */
export async function getUniqueVisitors(
  { params, query }: Input<'getUniqueVisitors'>,
  { projects, visits }: Pick<Deps, 'projects' | 'visits'>,
  caller: Caller,
): Promise<Output<'getUniqueVisitors'>> {
  const project = await projects.findOwned(caller.organizationId, params.projectId)
  if (!project) {
    return refuse(404, 'Invalid project id: this organization has no project with the id in the path.')
  }
  const dateFrom = query.dateFrom === undefined ? undefined : parseDay(query.dateFrom)
  if (query.dateFrom !== undefined && dateFrom === undefined) return refuse(400, noSuchDate('dateFrom'))
  const dateTo = query.dateTo === undefined ? undefined : parseDay(query.dateTo)
  if (query.dateTo !== undefined && dateTo === undefined) return refuse(400, noSuchDate('dateTo'))
  if (dateFrom !== undefined && dateTo !== undefined && dateFrom > dateTo) {
    return refuse(400, 'dateFrom is after dateTo. dateTo is exclusive: give the day after the last day you want.')
  }
  // The validator accepts "Infinity" as a number within any bounds.
  for (const field of ['limit', 'offset'] as const) {
    if (!Number.isSafeInteger(query[field])) return refuse(400, `${field} must be integer. Example: 50`)
  }
  const range = { ...(dateFrom !== undefined && { dateFrom }), ...(dateTo !== undefined && { dateTo }) }
  const page = { limit: query.limit, offset: query.offset }
  const { totals, visitors, hasMore } = await visits.countUniqueVisitors(project.id, range, page)
  return { status: 200, body: { totals: toCounts(totals), visitors: visitors.map(toPage), hasMore } }
}

// Copied field by field, so that removing a field from the document breaks the compile.
function toCounts({ human, ai, total }: VisitorCounts): components['schemas']['VisitorCounts'] {
  return { human, ai, total }
}

function toPage({ path, human, ai, total }: PageVisitors): components['schemas']['PageVisitors'] {
  return { path, human, ai, total }
}

function noSuchDate(field: string): string {
  return `${field} is not a valid date or time. Example: 2026-11-20 or 2026-11-20T10:00:00Z.`
}

function refuse<Status extends 400 | 404>(status: Status, error: string) {
  return { status, body: { error, details: [{ message: error }] } }
}
