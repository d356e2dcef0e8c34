import type { VisitorViews } from '../../../analytics/counters/group-visitors.ts'
import { toBounds } from '../../../analytics/counters/label-sets.ts'
import { type LatestRow, RowsMissing, type SeenRow, type SeenRowStore } from '../../../analytics/counters/seen-rows.ts'
import type { Day } from '../../../analytics/day.ts'
import type { Database } from '../database.ts'
import { toByteas, toIntegers, toUuids } from './binary-arrays.ts'
import { slowly } from './slowly.ts'

/** The stored rows of a visitor that were read. */
interface LoadedVisitor {
  /** The latest first. */
  rows: SeenRow[]
  /** Whether there are no earlier ones. */
  isComplete: boolean
}

const noRows: LoadedVisitor = { rows: [], isComplete: true }

interface Written {
  visitors: Uint8Array[]
  fromDays: Day[]
  days: Uint8Array[]
}

// Writes rows and reads rows of other visitors in one statement, so that the database works while this process computes. The rows come
// as one value, because a row of the driver costs more than its content.
const exchange = slowly<
  {
    project: number
    putVisitors: Buffer
    putFromDays: Buffer
    putDays: Buffer
    visitors: Buffer
    limit: number
  },
  { rows: Buffer | null }
>(
  `WITH put AS (
     INSERT INTO seen_rows (project_key, visitor, from_day, days)
     SELECT @project, * FROM unnest(@putVisitors::uuid[], @putFromDays::integer[], @putDays::bytea[])
     ON CONFLICT (project_key, visitor, from_day) DO UPDATE SET days = excluded.days
   )
   SELECT string_agg(int4send(place::integer) || int4send(from_day) || int4send(length(days)) || days, ''::bytea) AS rows
   FROM unnest(@visitors::uuid[]) WITH ORDINALITY AS wanted (visitor, place)
   CROSS JOIN LATERAL (
     SELECT from_day, days FROM seen_rows
     WHERE seen_rows.project_key = @project AND seen_rows.visitor = wanted.visitor ORDER BY from_day DESC LIMIT @limit
   ) AS found`,
)
const listOf = slowly<{ project: number; firsts: Buffer; lasts: Buffer; before: Day }, SeenRow & { place: number }>(
  `SELECT place::integer, from_day AS "fromDay", days
   FROM unnest(@firsts::uuid[], @lasts::uuid[]) WITH ORDINALITY AS wanted (first, last, place)
   JOIN seen_rows ON project_key = @project AND visitor BETWEEN first AND last AND from_day < @before`,
)
const remove = slowly<{ project: number; visitors: Buffer; fromDays: Buffer }>(
  `DELETE FROM seen_rows USING unnest(@visitors::uuid[], @fromDays::integer[]) AS removed (visitor, from_day)
   WHERE seen_rows.project_key = @project AND seen_rows.visitor = removed.visitor AND seen_rows.from_day = removed.from_day`,
)

/**
 * The rows of some visitors, read before they are needed: the domain asks for them synchronously. Rows to write are collected. Used in
 * one transaction.
 */
export class PrefetchedRows implements SeenRowStore {
  readonly #within: Database
  readonly #project: number
  #loaded: LoadedVisitor[] = []
  /** Those with more than one row. */
  #byVisitor = new Map<Uint8Array, LoadedVisitor>()
  #put: Written = { visitors: [], fromDays: [], days: [] }
  #removed: Written = { visitors: [], fromDays: [], days: [] }

  constructor(within: Database, project: number) {
    this.#within = within
    this.#project = project
  }

  /**
   * Writes the collected rows, and reads the latest rows of other visitors. Give them to `use` when it is their turn.
   *
   * @param limit at most so many rows of each visitor
   */
  async exchange(visitors: readonly Uint8Array[], limit: number): Promise<LoadedVisitor[]> {
    const project = this.#project
    const [put, removed] = [this.#put, this.#removed]
    this.#put = { visitors: [], fromDays: [], days: [] }
    this.#removed = { visitors: [], fromDays: [], days: [] }
    if (removed.visitors.length > 0) {
      const visitors = toUuids(removed.visitors)
      await this.#within.run(remove, { project, visitors, fromDays: toIntegers(removed.fromDays) })
    }
    const row = await this.#within.get(exchange, {
      project,
      putVisitors: toUuids(put.visitors),
      putFromDays: toIntegers(put.fromDays),
      putDays: toByteas(put.days),
      visitors: toUuids(visitors),
      limit,
    })
    return readRows(row?.rows ?? null, visitors.length, limit)
  }

  /** Makes rows that were read those of the visitors that the domain works on next. */
  use(visitors: readonly Uint8Array[], loaded: LoadedVisitor[]): void {
    this.#loaded = loaded
    this.#byVisitor = new Map()
    for (let i = 0; i < visitors.length; i++) {
      const found = loaded[i] as LoadedVisitor
      if (found.rows.length > 1) this.#byVisitor.set(visitors[i] as Uint8Array, found)
    }
  }

  listLatest(): readonly (LatestRow | undefined)[] {
    return this.#loaded.map(({ rows }) => rows[0] && { ...rows[0], isOnly: rows.length === 1 })
  }

  /** @throws {RowsMissing} if more rows must be read for this. */
  listBefore(visitor: Uint8Array, before: Day, limit: number): readonly SeenRow[] {
    const { rows, isComplete } = this.#byVisitor.get(visitor) ?? noRows
    const from = rows.findIndex(({ fromDay }) => fromDay < before)
    const found = from === -1 ? [] : rows.slice(from, from + limit)
    if (found.length < limit && !isComplete) throw new RowsMissing()
    return found
  }

  put(visitor: Uint8Array, fromDay: Day, days: Uint8Array): void {
    this.#put.visitors.push(visitor)
    this.#put.fromDays.push(fromDay)
    this.#put.days.push(days)
  }

  /** A row is removed before others are put. */
  delete(visitor: Uint8Array, fromDay: Day): void {
    this.#removed.visitors.push(visitor)
    this.#removed.fromDays.push(fromDay)
  }
}

const rowHeadBytes = 12

function readRows(bytes: Buffer | null, visitors: number, limit: number): LoadedVisitor[] {
  const loaded = Array.from({ length: visitors }, () => noRows)
  if (!bytes) return loaded
  for (let at = 0; at < bytes.length; ) {
    const i = bytes.readInt32BE(at) - 1
    const fromDay = bytes.readInt32BE(at + 4)
    const start = at + rowHeadBytes
    at = start + bytes.readInt32BE(at + 8)
    const row = { fromDay, days: bytes.subarray(start, at) }
    const known = loaded[i] as LoadedVisitor
    if (known === noRows) loaded[i] = { rows: [row], isComplete: true }
    else known.rows.push(row)
  }
  for (const found of loaded) {
    if (found.rows.length > 1) found.rows.sort((a, b) => b.fromDay - a.fromDay)
    found.isComplete = found.rows.length < limit
  }
  return loaded
}

/** Lists the rows that begin before a day of the visitors whose first 48 bits are given, in the same order. */
export async function listRowsOf(
  within: Database,
  project: number,
  prefixes: readonly number[],
  before: Day,
): Promise<SeenRow[][]> {
  const bounds = prefixes.map(toBounds)
  const [firsts, lasts] = [toUuids(bounds.map(([first]) => first)), toUuids(bounds.map(([, last]) => last))]
  const found = prefixes.map((): SeenRow[] => [])
  for (const row of await within.all(listOf, { project, firsts, lasts, before })) found[row.place - 1]?.push(row)
  return found
}

/** Returns the visitors of a group. */
export function visitorsOf(group: readonly VisitorViews[]): Uint8Array[] {
  return group.map(({ visitor }) => visitor)
}
