import { decodeBlock, decodeSite, encodeBlock, encodeFramedBlock } from '../../analytics/counters/cell-block.ts'
import { CellChanges } from '../../analytics/counters/cell-changes.ts'
import type { Cells } from '../../analytics/counters/cells.ts'
import { forgetPrevious } from '../../analytics/counters/forget-previous.ts'
import { mergeBlock } from '../../analytics/counters/merge-block.ts'
import { addToMonth } from '../../analytics/counters/month.ts'
import { type DaySpan, planRange } from '../../analytics/counters/range-plan.ts'
import { addPage, addSite, RangeSum } from '../../analytics/counters/range-sum.ts'
import type { Day } from '../../analytics/day.ts'
import type { VisitorCounts } from '../../analytics/unique-visitors.ts'
import type { Database } from '../database.ts'
import type { VisitPages } from './visit-pages.ts'
import { type Days, type FoundDays, toDays } from './visited-days.ts'

export type VisitCounters = ReturnType<typeof openVisitCounters>

/** The counters of a project: one block per day and one per month. */
export function openVisitCounters(database: Database, pages: VisitPages) {
  const days = openBlocks(database, 'day_counters', 'day', encodeBlock)
  const months = openBlocks(database, 'month_counters', 'month', encodeFramedBlock)
  const listDaysFrom = database.prepare<[Day], Day>('SELECT day FROM day_counters WHERE day >= ? ORDER BY day').pluck()
  const ranges = openRanges(database, days, months)

  function apply(changes: CellChanges): boolean {
    const ofMonths = new CellChanges()
    let isChanged = false
    for (const [day, cells] of changes.byDay()) {
      days.merge(day, cells, pages.idOf)
      addToMonth(ofMonths, day, cells)
      isChanged = true
    }
    for (const [month, cells] of ofMonths.byDay()) months.merge(month, cells, pages.idOf)
    return isChanged
  }

  return {
    /** Returns the first and the last day with visits; undefined if there are none. */
    findDays: ranges.findDays,
    /** Applies changes. Called in the transaction that changes the table `seen`. Returns whether a counter changed. */
    apply,
    /**
     * Updates the counters in the transaction that deletes the days before `before` from `seen`. Returns whether a counter
     * changed.
     */
    forget(before: Day): boolean {
      const directory = pages.directory()
      let isChanged = false
      for (const day of listDaysFrom.all(before)) {
        const block = decodeBlock(days.get(day))
        const changes = new CellChanges()
        const pageOf = (index: number) => {
          const number = directory.numberOf(block.idsHigh[index] as number, block.idsLow[index] as number)
          return pages.toNumber(number)
        }
        forgetPrevious(changes, { day, block, before, pageOf })
        if (apply(changes)) isChanged = true
      }
      return isChanged
    },
    /** Called in a transaction that reads blocks and pages at the same instant. Returns undefined if there are no visits. */
    sum(range: DaySpan): RangeSum | undefined {
      const visited = ranges.findDays()
      if (!visited) return undefined
      const total = new RangeSum(Math.max(range.from, visited.first), pages.directory())
      for (const block of ranges.list(range, visited)) total.add(block)
      return total
    },
    /** Returns the visitors of one page, by its index in the directory. */
    sumPage(range: DaySpan, index: number): VisitorCounts {
      const id = pages.idOf(pages.toNumber(index))
      return ranges.sum(range, (block, from, total) => addPage(decodeBlock(block, from), id, from, total))
    },
    /** Returns the visitors of the whole site. */
    sumSite: (range: DaySpan) => ranges.sum(range, (block, from, total) => addSite(decodeSite(block), from, total)),
  }
}

/** Reads the blocks of ranges. */
function openRanges(database: Database, days: Blocks, months: Blocks) {
  const findVisited = database.prepare<[], FoundDays>(
    'SELECT (SELECT min(day) FROM day_counters) AS first, (SELECT max(day) FROM day_counters) AS last',
  )
  const findDays = () => toDays(findVisited.get())
  /** Lists the stored blocks that make up a range. */
  function* list(range: DaySpan, { first, last }: Days): Generator<Buffer> {
    const plan = planRange(range, { from: first, to: last + 1 })
    for (const span of plan.days) yield* days.list(span)
    if (plan.months) yield* months.list(plan.months)
  }
  return {
    findDays,
    list,
    /** Sums what `add` takes from each stored block of a range; `from` is the first day of the range with visits. */
    sum(range: DaySpan, add: (block: Buffer, from: Day, total: VisitorCounts) => void): VisitorCounts {
      const total = { human: 0, ai: 0, total: 0 }
      const visited = findDays()
      const from = Math.max(range.from, visited?.first ?? 0)
      if (visited) for (const block of list(range, visited)) add(block, from, total)
      return total
    },
  }
}

type Blocks = ReturnType<typeof openBlocks>

function openBlocks(
  database: Database,
  table: 'day_counters' | 'month_counters',
  key: 'day' | 'month',
  encode: typeof encodeBlock,
) {
  const find = database.prepare<[Day], Buffer>(`SELECT block FROM ${table} WHERE ${key} = ?`).pluck()
  const upsert = database.prepare<[Day, Uint8Array]>(
    `INSERT INTO ${table} (${key}, block) VALUES (?, ?) ON CONFLICT DO UPDATE SET block = excluded.block`,
  )
  const remove = database.prepare<[Day]>(`DELETE FROM ${table} WHERE ${key} = ?`)
  const list = database
    .prepare<DaySpan, Buffer>(`SELECT block FROM ${table} WHERE ${key} >= @from AND ${key} < @to ORDER BY ${key}`)
    .pluck()
  return {
    get: (day: Day) => find.get(day) as Buffer,
    merge(day: Day, changes: Cells, idOf: (page: number) => number): void {
      const known = find.get(day)
      const merged = mergeBlock(known && decodeBlock(known), changes, idOf)
      if (merged) upsert.run(day, encode(merged))
      else remove.run(day)
    },
    list: (span: DaySpan) => list.iterate(span),
  }
}
