import type { AgentPageCounter } from '../../analytics/counters/agent-pages.ts'
import { LabelCounter, type LabelledDay, type VisitorSet, VisitorUnion } from '../../analytics/counters/label-sets.ts'
import type { DaySpan } from '../../analytics/counters/range-plan.ts'
import type { Day } from '../../analytics/day.ts'
import { FailureBounds, hasFailures } from '../../analytics/failed-pages.ts'
import { type ChosenLabels, chooseLabels } from '../../analytics/report/choose-labels.ts'
import type { LabelChoice } from '../../analytics/visit-filter.ts'
import { BoundedCache } from '../../base/bounded-cache.ts'
import type { Database } from '../database.ts'
import {
  addAgents,
  addToRow,
  boundFailures,
  countReaders,
  countRow,
  type LabelRow,
  listVisitors,
} from '../label-row.ts'
import { type FoundDays, toDays } from './visited-days.ts'

export type SeenLabels = ReturnType<typeof openSeenLabels>

/** Opens the visitors of each label and day, see `groupLabels`. */
export function openSeenLabels(database: Database) {
  const numbers = openLabelNumbers(database)
  const find = database.prepare<[Day], LabelRow>('SELECT counts, visitors FROM seen_labels WHERE day = ?')
  const upsert = database.prepare<[Day, Uint8Array, Uint8Array]>(
    `INSERT INTO seen_labels (day, counts, visitors) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET counts = excluded.counts, visitors = excluded.visitors`,
  )
  const list = database.prepare<DaySpan, LabelRow & { day: Day }>(
    'SELECT day, counts, visitors FROM seen_labels WHERE day >= @from AND day < @to',
  )
  const findVisited = database.prepare<[], FoundDays>(
    'SELECT (SELECT min(day) FROM seen_labels) AS first, (SELECT max(day) FROM seen_labels) AS last',
  )
  const forget = database.prepare<{ before: Day }>(
    'UPDATE seen_labels SET visitors = NULL WHERE day < @before AND visitors IS NOT NULL',
  )

  return {
    /** Adds visitors of days that were not pruned. */
    add(days: readonly LabelledDay[]): void {
      for (const { day, sets } of days) {
        const known = find.get(day)
        const bounded = hasFailures(sets) ? boundFailures(known, sets, numbers.readBounds()) : sets
        const row = addToRow(known, bounded, numbers.toNumber)
        if (row) upsert.run(day, row.counts, row.visitors)
      }
    },
    /** Empties the cache after a transaction was rolled back. */
    discard: numbers.discard,
    /** Deletes the visitors of the days before `before`, and keeps their number on each day. */
    forget: (before: Day) => void forget.run({ before }),
    /** Returns the first and the last day with labels; undefined if there are none. */
    findDays: () => toDays(findVisited.get()),
    choose: (choice?: LabelChoice): ChosenLabels => chooseLabels(numbers.list(), choice),
    /** Counts the visitors of each label in a range. With `readersOf`, only those visitors of agents count, see `PageReaders`. */
    count(
      range: DaySpan,
      chosen: ChosenLabels,
      readersOf?: ReadonlyMap<Day, ReadonlySet<number>>,
    ): Map<string, number> {
      const counter = new LabelCounter()
      for (const row of list.iterate(range)) {
        countRow(counter, row, chosen)
        if (readersOf) countReaders(counter, row, chosen, readersOf)
      }
      return counter.count()
    },
    /** Lists the visitors of the agents in a range. */
    listVisitors(range: DaySpan, chosen: ChosenLabels): VisitorSet {
      const union = new VisitorUnion()
      for (const row of list.iterate(range)) union.add(listVisitors(row, chosen))
      return union.finish()
    },
    /** Adds the visitors of the agents in a range. */
    addAgents(counter: AgentPageCounter, range: DaySpan, chosen: ChosenLabels): void {
      for (const row of list.iterate(range)) addAgents(counter, row, chosen)
    },
  }
}

const maxKnownLabels = 10_000

/** Opens the table of the labels of a project, see `labels.ts`. */
function openLabelNumbers(database: Database) {
  const find = database.prepare<[string], number>('SELECT number FROM labels WHERE label = ?').pluck()
  const insert = database.prepare<[string]>('INSERT INTO labels (label) VALUES (?)')
  const list = database.prepare<[], { number: number; label: string }>('SELECT number, label FROM labels')
  const listAfter = database.prepare<[number], { number: number; label: string }>(
    'SELECT number, label FROM labels WHERE number > ?',
  )
  let bounds = new FailureBounds()
  let readUpTo = 0
  let known = new BoundedCache<string, number>(maxKnownLabels)
  return {
    /** Returns the number of a label. A new label gets the next number. */
    toNumber(label: string): number {
      const number = known.get(label) ?? find.get(label) ?? Number(insert.run(label).lastInsertRowid)
      known.set(label, number)
      return number
    },
    /** Returns the bounds of failed pages, also with the labels that another process added. */
    readBounds(): FailureBounds {
      for (const each of listAfter.all(readUpTo)) {
        bounds.add([each])
        readUpTo = Math.max(readUpTo, each.number)
      }
      return bounds
    },
    /** Returns all labels by number. */
    list: () => new Map(list.all().map(({ number, label }) => [number, label])),
    /** Empties the cache after a transaction was rolled back. */
    discard(): void {
      known = new BoundedCache(maxKnownLabels)
      bounds = new FailureBounds()
      readUpTo = 0
    },
  }
}
