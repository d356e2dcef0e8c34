import type { AgentPageCounter } from '../analytics/counters/agent-pages.ts'
import {
  decodeSet,
  encodeSets,
  type LabelCounter,
  type LabelledDay,
  uniteSets,
  type VisitorSet,
} from '../analytics/counters/label-sets.ts'
import type { Day } from '../analytics/day.ts'
import type { FailureBounds } from '../analytics/failed-pages.ts'
import type { ChosenLabels } from '../analytics/report/choose-labels.ts'

/** The labels of a day, in the order of their numbers. */
export interface LabelRow {
  /** 32-bit numbers of labels, and as many numbers of visitors. */
  counts: Buffer
  /** See `encodeSets`. Null once the day was pruned. */
  visitors: Buffer | null
}

/** Returns the number of visitors by number of the label. */
function toCounts({ counts }: LabelRow): [number: number, count: number][] {
  const numbers = new Uint32Array(new Uint8Array(counts).buffer)
  const half = numbers.length / 2
  return Array.from(numbers.subarray(0, half), (number, i) => [number, numbers[half + i] as number])
}

/** Returns the visitors by number of the label, of all labels or of the wanted ones. */
function toSets(row: LabelRow | undefined, wanted?: { has(number: number): boolean }): Map<number, VisitorSet> {
  const sets = new Map<number, VisitorSet>()
  if (!row?.visitors) return sets
  let from = 0
  for (const [number, size] of toCounts(row)) {
    if (!wanted || wanted.has(number)) sets.set(number, decodeSet(row.visitors, { from, size }))
    from += size
  }
  return sets
}

/** Returns the row of visitors by number of the label. */
function toLabelRow(sets: ReadonlyMap<number, VisitorSet>): { counts: Uint8Array; visitors: Uint8Array } {
  const ordered = [...sets].sort(([a], [b]) => a - b)
  const counts = Uint32Array.from([...ordered.map(([number]) => number), ...ordered.map(([, set]) => set.length)])
  return { counts: new Uint8Array(counts.buffer), visitors: encodeSets(ordered.map(([, set]) => set)) }
}

/** Returns the labels of a day with the failed pages within their bounds. */
export function boundFailures(row: LabelRow | undefined, sets: LabelledDay['sets'], bounds: FailureBounds) {
  return bounds.replace(sets, new Set(row && toCounts(row).map(([number]) => number)), uniteSets)
}

/** Adds visitors to the row of a day. Returns the new row; undefined = nothing changed. */
export function addToRow(
  row: LabelRow | undefined,
  sets: LabelledDay['sets'],
  toNumber: (label: string) => number,
): ReturnType<typeof toLabelRow> | undefined {
  const all = toSets(row)
  let isChanged = false
  for (const [label, visitors] of sets) {
    const number = toNumber(label)
    const known = all.get(number)
    const united = known ? uniteSets([known, visitors]) : visitors
    if (united.length === known?.length) continue
    all.set(number, united)
    isChanged = true
  }
  return isChanged ? toLabelRow(all) : undefined
}

/** Adds the visitors of the chosen labels of a day to a counter. */
export function countRow(counter: LabelCounter, row: LabelRow, { counted }: ChosenLabels): void {
  if (row.visitors) {
    for (const [number, set] of toSets(row, counted)) counter.add(counted.get(number) ?? [], set)
    return
  }
  for (const [number, count] of toCounts(row)) {
    const labels = counted.get(number)
    if (labels) counter.addForgotten(labels, count)
  }
}

/** Adds those visitors of the chosen agents of a day who read a page on that day. */
export function countReaders(
  counter: LabelCounter,
  { day, ...row }: LabelRow & { day: Day },
  { agents }: ChosenLabels,
  readersOf: ReadonlyMap<Day, ReadonlySet<number>>,
): void {
  const readers = readersOf.get(day)
  if (!readers) return
  for (const [number, set] of toSets(row, agents)) {
    const found = set.filter(visitor => readers.has(visitor))
    if (found.length > 0) counter.add(agents.get(number)?.counted ?? [], found)
  }
}

/** Adds the visitors of the chosen agents of a day. */
export function addAgents(counter: AgentPageCounter, row: LabelRow, { agents }: ChosenLabels): void {
  for (const [number, set] of toSets(row, agents)) counter.addAgent(agents.get(number)?.agent ?? '', set)
}

/** Lists the sets of the visitors of the chosen agents of a day. */
export function listVisitors(row: LabelRow, { agents }: ChosenLabels): VisitorSet[] {
  return [...toSets(row, agents).values()]
}
