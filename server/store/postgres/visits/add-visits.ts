import type { CellChanges } from '../../../analytics/counters/cell-changes.ts'
import { type GroupedViews, groupVisitors, type VisitorViews } from '../../../analytics/counters/group-visitors.ts'
import { RowsMissing, SeenRows } from '../../../analytics/counters/seen-rows.ts'
import { VisitorHistory } from '../../../analytics/counters/visitor-history.ts'
import type { RecordedViews } from '../../../analytics/unique-visitors.ts'
import type { Database } from '../database.ts'
import { PrefetchedRows, visitorsOf } from './seen-rows.ts'

/**
 * How far back the days of visitors are read: first a few rows of many visitors, then more rows of those for which these were too few, at
 * last all rows of one visitor. A program that reads all pages each day for years has megabytes of rows.
 */
const lookBacks = [
  { visitors: 4096, rows: 4 },
  { visitors: 256, rows: 64 },
  { visitors: 16, rows: 1024 },
  { visitors: 1, rows: 2 ** 31 - 1 },
] as const
const [firstLookBack, ...furtherLookBacks] = lookBacks

/**
 * Adds the views of all visitors to the days, and the resulting changes of the counters to `changes`. While this process computes the
 * changes of a group of visitors, the database reads the days of the next group and writes those of the group before.
 *
 * @returns the number of days that are new for their visitor, and of new views
 */
export async function addVisits(
  within: Database,
  project: number,
  changes: CellChanges,
  visitors: Iterable<VisitorViews>,
): Promise<Pick<RecordedViews, 'newVisitorDays' | 'newViews'>> {
  const rows = new PrefetchedRows(within, project)
  const adder = new VisitAdder(rows, changes)
  const groups = groupVisitors(visitors, firstLookBack.visitors)
  const read = (group: readonly VisitorViews[]) => rows.exchange(visitorsOf(group), firstLookBack.rows)
  let ahead: ReturnType<typeof read> | undefined
  try {
    let group = next(groups)
    while (group) {
      // A statement does not see what it writes itself.
      if (!ahead) await rows.exchange([], 0)
      const loaded = await (ahead ?? read(group))
      const following = next(groups)
      // The visitor may be in this group too, and its days must be written before they are read.
      ahead = following && !following[0]?.isAgain ? read(following) : undefined
      const missing = adder.add(group, loaded)
      if (missing.length > 0) await addFurther(adder, rows, missing, ahead)
      group = following
    }
    await rows.exchange([], 0)
  } finally {
    // The connection is busy until then.
    await ahead?.catch(() => {})
  }
  return { newVisitorDays: adder.newDays, newViews: adder.newViews }
}

async function addFurther(
  adder: VisitAdder,
  rows: PrefetchedRows,
  missing: readonly VisitorViews[],
  ahead: Promise<unknown> | undefined,
): Promise<void> {
  await ahead
  let left = missing
  for (const { visitors, rows: limit } of furtherLookBacks) {
    const still: VisitorViews[] = []
    for (let from = 0; from < left.length; from += visitors) {
      const part = left.slice(from, from + visitors)
      still.push(...adder.add(part, await rows.exchange(visitorsOf(part), limit)))
    }
    left = still
  }
}

class VisitAdder {
  readonly #rows: PrefetchedRows
  readonly #days: SeenRows
  readonly #history: VisitorHistory
  newDays = 0

  get newViews(): number {
    return this.#history.newViews
  }

  constructor(rows: PrefetchedRows, changes: CellChanges) {
    this.#rows = rows
    this.#days = new SeenRows(rows)
    this.#history = new VisitorHistory(this.#days, changes)
  }

  /** Adds the views of a group whose rows were read. Returns those that need more rows. */
  add(group: readonly VisitorViews[], loaded: Awaited<ReturnType<PrefetchedRows['exchange']>>): VisitorViews[] {
    const missing: VisitorViews[] = []
    const visitors = visitorsOf(group)
    this.#rows.use(visitors, loaded)
    this.#days.prefetch(visitors)
    for (const each of group) {
      try {
        this.newDays += this.#history.add(each.visitor, each.views)
      } catch (error) {
        if (!(error instanceof RowsMissing)) throw error
        this.#days.discard()
        missing.push(each)
      }
    }
    this.#days.flush()
    return missing
  }
}

function next(groups: Iterator<GroupedViews[]>): GroupedViews[] | undefined {
  const { done, value } = groups.next()
  return done ? undefined : value
}
