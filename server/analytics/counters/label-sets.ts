import type { Day } from '../day.ts'
import { markdownFile, toFileLabel, toReadLabel } from '../labels.ts'
import { asAi, asAiMarkdown, asHuman, asHumanMarkdown, asLabel, type ViewBatch } from '../view-batch.ts'
import { visitorBytes } from '../visitor.ts'

/** The first 48 bits of visitors, ascending, without repetitions. */
export type VisitorSet = Float64Array

/** The visitors of each label on a day. */
export interface LabelledDay {
  day: Day
  sets: Map<string, VisitorSet>
}

const humanMarkdown = toFileLabel('human', markdownFile)
const aiMarkdown = toFileLabel('ai', markdownFile)
const setBytes = 6

/**
 * Groups the labels of a batch by day.
 *
 * The visitors of a label are stored as one set per day, and a range unites the sets of its days. Counters by the previous day,
 * as of pages, answer faster, but they need the other days of each visitor, and a row for each program on each day. With
 * them, an import of a million lines took about a fifth more CPU time and a quarter more space. Reports are rare.
 *
 * 48 bits suffice: one of 500 sets of a million visitors has a collision, which makes its count too small by one.
 *
 * @param keptFrom labels of earlier days are omitted
 */
export function groupLabels(batch: ViewBatch, keptFrom: Day): LabelledDay[] {
  const { length, agents, paths, visitors, visitorOf, pathOf, days, masks } = batch
  const view = new DataView(visitors.buffer, visitors.byteOffset, visitors.byteLength)
  const byDay = new Map<Day, Map<string, number[]>>()
  const add = (day: Day, label: string, visitor: number) => {
    let ofDay = byDay.get(day)
    if (!ofDay) {
      ofDay = new Map()
      byDay.set(day, ofDay)
    }
    const known = ofDay.get(label)
    if (known) known.push(visitor)
    else ofDay.set(label, [visitor])
  }
  for (let i = 0; i < length; i++) {
    const day = days[i] as number
    const mask = masks[i] as number
    if (day < keptFrom || mask === asHuman) continue
    const number = visitorOf[i] as number
    const visitor = readPrefix(view, number * visitorBytes)
    if (mask & asLabel) add(day, paths[pathOf[i] as number] as string, visitor)
    const agent = mask & asAi ? agents?.[number] : undefined
    if (agent !== undefined) add(day, agent, visitor)
    if (mask & asAiMarkdown) add(day, aiMarkdown, visitor)
    if (mask & asAiMarkdown && agent !== undefined) add(day, toReadLabel(markdownFile, agent), visitor)
    if (mask & asHumanMarkdown) add(day, humanMarkdown, visitor)
  }
  return Array.from(byDay, ([day, found]) => ({
    day,
    sets: new Map(Array.from(found, ([label, list]) => [label, sortDistinct(new Float64Array(list))])),
  }))
}

/** Unites sets. */
export function uniteSets(sets: readonly VisitorSet[]): VisitorSet {
  const [first, second] = sets
  if (sets.length === 2 && first && second) return merge(first, second)
  const all = new Float64Array(sets.reduce((size, set) => size + set.length, 0))
  let at = 0
  for (const set of sets) {
    all.set(set, at)
    at += set.length
  }
  return sortDistinct(all)
}

const minUnited = 65_536

/** Unites sets one after another. It keeps no more than about twice as many numbers as there are distinct visitors. */
export class VisitorUnion {
  #united: VisitorSet = new Float64Array()
  #added: VisitorSet[] = []
  #size = 0

  add(sets: readonly VisitorSet[]): void {
    for (const set of sets) {
      this.#added.push(set)
      this.#size += set.length
    }
    // Uniting after each day would sort the visitors of all days before it again.
    if (this.#size > Math.max(this.#united.length, minUnited)) this.finish()
  }

  finish(): VisitorSet {
    this.#united = uniteSets([this.#united, ...this.#added])
    this.#added = []
    this.#size = 0
    return this.#united
  }
}

/** Encodes sets one after another, each visitor in 6 bytes, big-endian. */
export function encodeSets(sets: readonly VisitorSet[]): Uint8Array {
  const bytes = new Uint8Array(sets.reduce((size, set) => size + set.length, 0) * setBytes)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const set of sets) {
    for (let i = 0; i < set.length; i++, at += setBytes) {
      const visitor = set[i] as number
      view.setUint16(at, visitor / 2 ** 32)
      view.setUint32(at + 2, visitor)
    }
  }
  return bytes
}

/** Decodes one set of the output of `encodeSets`. */
export function decodeSet(bytes: Uint8Array, { from, size }: { from: number; size: number }): VisitorSet {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const set = new Float64Array(size)
  for (let i = 0; i < size; i++) set[i] = readPrefix(view, (from + i) * setBytes)
  return set
}

/** Counts the visitors of labels in a range. */
export class LabelCounter {
  readonly #sets = new Map<string, VisitorSet[]>()
  readonly #forgotten = new Map<string, number>()

  /** Adds the visitors of a stored label on a day. They count for each of `labels`, see `listCountedLabels`. */
  add(labels: readonly string[], visitors: VisitorSet): void {
    for (const counted of labels) {
      const sets = this.#sets.get(counted)
      if (sets) sets.push(visitors)
      else this.#sets.set(counted, [visitors])
    }
  }

  /** Adds a number of visitors who are no longer known. They count once for each day and label. */
  addForgotten(labels: readonly string[], count: number): void {
    for (const counted of labels) {
      this.#forgotten.set(counted, (this.#forgotten.get(counted) ?? 0) + count)
    }
  }

  /** Returns the number of distinct visitors by label. */
  count(): Map<string, number> {
    const counts = new Map(this.#forgotten)
    for (const [label, sets] of this.#sets) {
      const distinct = sets.length === 1 ? (sets[0] as VisitorSet).length : uniteSets(sets).length
      counts.set(label, (counts.get(label) ?? 0) + distinct)
    }
    return counts
  }
}

/** Returns the first and the last visitor that a set may mean by a number. */
export function toBounds(prefix: number): [first: Uint8Array, last: Uint8Array] {
  const bounds: [Uint8Array, Uint8Array] = [new Uint8Array(visitorBytes), new Uint8Array(visitorBytes).fill(0xff)]
  for (const bound of bounds) bound.set(encodeSets([Float64Array.of(prefix)]))
  return bounds
}

function readPrefix(view: DataView, at: number): number {
  return view.getUint16(at) * 2 ** 32 + view.getUint32(at + 2)
}

/** Unites two sets: an import does so for each label, and sorting them again takes several times as long. */
function merge(a: VisitorSet, b: VisitorSet): VisitorSet {
  const all = new Float64Array(a.length + b.length)
  let length = 0
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const ofA = i < a.length ? (a[i] as number) : Number.POSITIVE_INFINITY
    const ofB = j < b.length ? (b[j] as number) : Number.POSITIVE_INFINITY
    all[length++] = Math.min(ofA, ofB)
    if (ofA <= ofB) i++
    if (ofB <= ofA) j++
  }
  return all.slice(0, length)
}

function sortDistinct(numbers: Float64Array): VisitorSet {
  // The sort of a typed array is a call into the engine, and most labels of pages have one visitor.
  if (numbers.length === 1) return numbers
  numbers.sort()
  let length = 0
  for (let i = 0; i < numbers.length; i++) {
    if (i === 0 || numbers[i] !== numbers[i - 1]) numbers[length++] = numbers[i] as number
  }
  return numbers.slice(0, length)
}
