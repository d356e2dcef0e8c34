import type { AgentPageCounter } from '../analytics/counters/agent-pages.ts'
import {
  decodeSets,
  encodeSets,
  type LabelCounter,
  type LabelledDay,
  uniteSets,
  type VisitorSet,
} from '../analytics/counters/label-sets.ts'
import type { FailureBounds } from '../analytics/failed-pages.ts'
import { isAgentLabel, toAgentName } from '../analytics/labels.ts'

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

/** Returns the visitors by number of the label. */
function toSets(row: LabelRow | undefined): Map<number, VisitorSet> {
  if (!row?.visitors) return new Map()
  const counts = toCounts(row)
  const sets = decodeSets(
    row.visitors,
    counts.map(([, count]) => count),
  )
  return new Map(counts.map(([number], i) => [number, sets[i] as VisitorSet]))
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

/** Adds the visitors of a day to a counter. */
export function countRow(counter: LabelCounter, row: LabelRow, labels: ReadonlyMap<number, string>): void {
  if (row.visitors) for (const [number, set] of toSets(row)) counter.add(labels.get(number) as string, set)
  else for (const [number, count] of toCounts(row)) counter.addForgotten(labels.get(number) as string, count)
}

/** Adds the visitors of the agents of a day. */
export function addAgents(counter: AgentPageCounter, row: LabelRow, labels: ReadonlyMap<number, string>): void {
  for (const [number, set] of toSets(row)) {
    const label = labels.get(number) as string
    if (isAgentLabel(label)) counter.addAgent(toAgentName(label), set)
  }
}
