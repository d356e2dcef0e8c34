import type { Day } from '../../../analytics/day.ts'
import { divide } from '../../../base/divide.ts'
import { deleteFromRow } from '../../visits/delete-from-row.ts'
import type { Database } from '../database.ts'
import { toUuids } from './binary-arrays.ts'
import { PrefetchedRows } from './seen-rows.ts'
import { slowly } from './slowly.ts'
import { changeVisited } from './visited-projects.ts'

/** Deletes these days of all visitors. */
export interface DayDeletion {
  /** All of them are earlier. */
  before: Day
  isDeleted(day: Day): boolean
}

interface Row {
  visitor: string
  from_day: Day
  /** Null if it has no day to delete. */
  days: Buffer | null
}

/** The place of a row. */
interface Place {
  visitor: string
  fromDay: Day
}

/** About 20 ms of computing. */
const rowsAtATime = 5000
const noVisitor = '00000000-0000-0000-0000-000000000000'

const listAfter = slowly<{ project: number; visitor: string; fromDay: Day; before: Day; limit: number }, Row>(
  `SELECT visitor, from_day, CASE WHEN from_day < @before THEN days END AS days FROM seen_rows
   WHERE project_key = @project AND (visitor, from_day) > (@visitor::uuid, @fromDay::integer)
   ORDER BY visitor, from_day LIMIT @limit`,
)
const listOf = slowly<{ project: number; visitors: Buffer; before: Day }, Row>(
  `SELECT visitor, from_day, days FROM seen_rows
   WHERE project_key = @project AND visitor = ANY(@visitors::uuid[]) AND from_day < @before`,
)

/**
 * Deletes days of all visitors of a project. Each of many transactions holds the lock of the project only for a moment, so that imports
 * go on meanwhile. Returns the number of deleted days.
 */
export async function deleteDays(database: Database, projectId: string, deletion: DayDeletion): Promise<number> {
  let deleted = 0
  for (let after: Place | undefined = { visitor: noVisitor, fromDay: -1 }; after; ) {
    const part = await deletePart(database, projectId, after, deletion)
    deleted += part?.days ?? 0
    after = part?.last
  }
  return deleted
}

function deletePart(
  database: Database,
  projectId: string,
  after: Place,
  deletion: DayDeletion,
): Promise<{ days: number; last: Place | undefined } | undefined> {
  return changeVisited(database, projectId, async (within, { key: project }) => {
    const { before } = deletion
    const rows = await within.all(listAfter, { project, ...after, before, limit: rowsAtATime })
    const last = rows.at(-1)
    const days = await deleteFromRows(within, project, rows, deletion)
    return { days, last: last && { visitor: last.visitor, fromDay: last.from_day } }
  })
}

/** Deletes days of some visitors, for a batch that is recorded while `deleteDays` has not come to them. */
export async function deleteDaysOf(
  within: Database,
  project: number,
  visitors: Iterable<Uint8Array>,
  deletion: DayDeletion,
): Promise<void> {
  for (const part of divide(visitors, rowsAtATime)) {
    const rows = await within.all(listOf, { project, visitors: toUuids(part), before: deletion.before })
    await deleteFromRows(within, project, rows, deletion)
  }
}

async function deleteFromRows(
  within: Database,
  project: number,
  rows: readonly Row[],
  { isDeleted }: DayDeletion,
): Promise<number> {
  const store = new PrefetchedRows(within, project)
  let deleted = 0
  for (const { visitor, from_day: fromDay, days } of rows) {
    if (days) deleted += deleteFromRow(store, toVisitor(visitor), { fromDay, days }, isDeleted)
  }
  if (deleted > 0) await store.exchange([], 1)
  return deleted
}

function toVisitor(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}
