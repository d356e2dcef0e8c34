import { decodeBlock, encodeBlock, encodeFramedBlock } from '../../../analytics/counters/cell-block.ts'
import { CellChanges } from '../../../analytics/counters/cell-changes.ts'
import type { Cells } from '../../../analytics/counters/cells.ts'
import { forgetPrevious } from '../../../analytics/counters/forget-previous.ts'
import { mergeBlock } from '../../../analytics/counters/merge-block.ts'
import { addToMonth } from '../../../analytics/counters/month.ts'
import type { PageDirectory } from '../../../analytics/counters/page-directory.ts'
import { type DaySpan, planRange } from '../../../analytics/counters/range-plan.ts'
import type { Day } from '../../../analytics/day.ts'
import { divide } from '../../../base/divide.ts'
import { type Days, type FoundDays, toDays } from '../../visits/visited-days.ts'
import type { Database } from '../database.ts'
import { toByteas, toIntegers } from './binary-arrays.ts'
import { slowly } from './slowly.ts'

interface Block {
  day: Day
  block: Buffer
}

/** Blocks that are written together. The block of a day of 600,000 pages has 2 MB. */
const blocksPerStatement = 8
/** Blocks that are read together have at most so many bytes, or are one. */
const bytesPerRead = 8 * 1024 * 1024

const days = prepareBlocks('day_counters', 'day', encodeBlock)
const months = prepareBlocks('month_counters', 'month', encodeFramedBlock)
const findVisited = slowly<{ project: number }, FoundDays>(
  'SELECT min(day) AS first, max(day) AS last FROM day_counters WHERE project_key = @project',
)
const listDaysFrom = slowly<{ project: number; from: Day }, { day: Day }>(
  'SELECT day FROM day_counters WHERE project_key = @project AND day >= @from ORDER BY day',
)

function prepareBlocks(table: 'day_counters' | 'month_counters', key: 'day' | 'month', encode: typeof encodeBlock) {
  return {
    encode,
    list: slowly<{ project: number; days: readonly Day[] }, Block>(
      `SELECT ${key} AS day, block FROM ${table} WHERE project_key = @project AND ${key} = ANY(@days::integer[])`,
    ),
    upsert: slowly<{ project: number; days: Buffer; blocks: Buffer }>(
      `INSERT INTO ${table} (project_key, ${key}, block)
       SELECT @project, * FROM unnest(@days::integer[], @blocks::bytea[])
       ON CONFLICT (project_key, ${key}) DO UPDATE SET block = excluded.block`,
    ),
    remove: slowly<{ project: number; days: readonly Day[] }>(
      `DELETE FROM ${table} WHERE project_key = @project AND ${key} = ANY(@days::integer[])`,
    ),
    // The size of a value is known without reading it.
    listSizes: slowly<{ project: number } & DaySpan, { day: Day; size: number }>(
      `SELECT ${key} AS day, octet_length(block) AS size FROM ${table}
       WHERE project_key = @project AND ${key} >= @from AND ${key} < @to ORDER BY ${key}`,
    ),
  }
}

/**
 * Applies changes in the transaction that changes `seen_rows`. Returns whether a counter changed.
 *
 * @param idOf returns the id of a page number
 */
export async function applyChanges(
  within: Database,
  project: number,
  changes: CellChanges,
  idOf: (page: number) => number,
): Promise<boolean> {
  const ofMonths = new CellChanges()
  let isChanged = false
  const ofDays = function* () {
    for (const [day, cells] of changes.byDay()) {
      addToMonth(ofMonths, day, cells)
      isChanged = true
      yield [day, cells] as const
    }
  }
  await merge(within, days, { project, changes: ofDays(), idOf })
  await merge(within, months, { project, changes: ofMonths.byDay(), idOf })
  return isChanged
}

interface Merged {
  project: number
  changes: Iterable<readonly [Day, Cells]>
  idOf(page: number): number
}

async function merge(within: Database, blocks: typeof days, { project, changes, idOf }: Merged): Promise<void> {
  for (const part of divide(changes, blocksPerStatement)) {
    const rows = await within.all(blocks.list, { project, days: part.map(([day]) => day) })
    const known = new Map(rows.map(({ day, block }) => [day, block]))
    const written: { day: Day; block: Uint8Array }[] = []
    const removed: Day[] = []
    for (const [day, cells] of part) {
      const block = known.get(day)
      const merged = mergeBlock(block && decodeBlock(block), cells, idOf)
      if (merged) written.push({ day, block: blocks.encode(merged) })
      else removed.push(day)
    }
    if (removed.length > 0) await within.run(blocks.remove, { project, days: removed })
    if (written.length === 0) continue
    await within.run(blocks.upsert, {
      project,
      days: toIntegers(written.map(({ day }) => day)),
      blocks: toByteas(written.map(({ block }) => block)),
    })
  }
}

/**
 * Updates the counters before the days before `before` are deleted from `seen_rows`. Returns whether a counter changed.
 *
 * @param directory all pages of the project
 */
export async function forgetDays(
  within: Database,
  project: number,
  { before, directory }: { before: Day; directory: PageDirectory },
): Promise<boolean> {
  let isChanged = false
  for (const { day } of await within.all(listDaysFrom, { project, from: before })) {
    const [row] = await within.all(days.list, { project, days: [day] })
    const block = decodeBlock((row as Block).block)
    const changes = new CellChanges()
    const ids = new Map<number, number>()
    const pageOf = (index: number) => {
      const [high, low] = [block.idsHigh[index] as number, block.idsLow[index] as number]
      const number = directory.numberOf(high, low) + 1
      ids.set(number, high * 2 ** 32 + low)
      return number
    }
    forgetPrevious(changes, { day, block, before, pageOf })
    const idOf = (page: number) => ids.get(page) as number
    if (await applyChanges(within, project, changes, idOf)) isChanged = true
  }
  return isChanged
}

/** Returns the first and the last day with visits; undefined if there are none. */
export async function findCountedDays(within: Database, project: number): Promise<Days | undefined> {
  return toDays(await within.get(findVisited, { project }))
}

/** Reads the stored blocks that make up a range, a few at a time. Called in a transaction that reads at one instant. */
export async function* readBlocks(
  within: Database,
  project: number,
  range: DaySpan,
  { first, last }: Days,
): AsyncGenerator<Buffer> {
  const plan = planRange(range, { from: first, to: last + 1 })
  for (const span of plan.days) yield* readSpan(within, days, project, span)
  if (plan.months) yield* readSpan(within, months, project, plan.months)
}

async function* readSpan(
  within: Database,
  blocks: typeof days,
  project: number,
  { from, to }: DaySpan,
): AsyncGenerator<Buffer> {
  const sizes = await within.all(blocks.listSizes, { project, from, to })
  let part: Day[] = []
  let bytes = 0
  const read = async () => {
    const rows = await within.all(blocks.list, { project, days: part })
    part = []
    bytes = 0
    return rows.map(({ block }) => block)
  }
  for (const { day, size } of sizes) {
    if (part.length > 0 && bytes + size > bytesPerRead) yield* await read()
    part.push(day)
    bytes += size
  }
  if (part.length > 0) yield* await read()
}
