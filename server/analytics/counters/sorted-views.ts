import type { Day } from '../day.ts'
import { asAi, asAiMarkdown, asHuman, asHumanMarkdown, asLabel, type ViewBatch } from '../view-batch.ts'
import { visitorBytes } from '../visitor.ts'
import { type PackedViews, packView } from './visitor-history.ts'

/** The bits of a mask that count a page view. */
const ofView = asHuman | asAi
const ofMarkdown = asHumanMarkdown | asAiMarkdown

/**
 * Sorts the views of a batch, without labels, by the bytes of their visitors. The stored views have the same order, so recording a batch
 * traverses the store once from beginning to end.
 *
 * @param pageNumbers the page number of each path in `batch.paths`
 * @param keptFrom views of earlier days are omitted
 * @throws {RangeError} when the batch is invalid
 */
export function* sortViews(
  batch: ViewBatch,
  pageNumbers: Uint32Array,
  keptFrom: Day,
): Generator<{ visitor: Uint8Array; views: PackedViews }> {
  const { visitors } = batch
  const ends = countViews(batch, keptFrom)
  const views = packViews(batch, pageNumbers, keptFrom, ends)
  for (const number of sortVisitors(visitors)) {
    const start = number === 0 ? 0 : (ends[number - 1] as number)
    const end = ends[number] as number
    if (start === end) continue
    const ofVisitor = views.subarray(start, end)
    if (end - start > 1) ofVisitor.sort()
    yield { visitor: visitors.subarray(number * visitorBytes, (number + 1) * visitorBytes), views: ofVisitor }
  }
}

/** Returns the end index of each visitor's views if the views are sorted in the order of `visitors`. */
function countViews({ length, visitors, visitorOf, days, masks }: ViewBatch, keptFrom: Day): Uint32Array {
  if (visitors.length % visitorBytes !== 0)
    throw new RangeError(`A visitor of the batch does not have ${visitorBytes} bytes.`)
  const ends = new Uint32Array(visitors.length / visitorBytes)
  for (let i = 0; i < length; i++) {
    const day = days[i] as number
    const mask = masks[i] as number
    const visitor = visitorOf[i] as number
    const isValid = mask === asLabel || ((mask & ofView) !== 0 && (mask & ~(ofView | ofMarkdown)) === 0)
    if (day < 0 || !isValid || visitor >= ends.length) {
      throw new RangeError(`View ${i} of the batch is invalid: visitor ${visitor}, day ${day}, mask ${mask}.`)
    }
    if (day >= keptFrom && mask !== asLabel) ends[visitor] = (ends[visitor] as number) + 1
  }
  for (let i = 1; i < ends.length; i++) ends[i] = (ends[i] as number) + (ends[i - 1] as number)
  return ends
}

function packViews(batch: ViewBatch, pageNumbers: Uint32Array, keptFrom: Day, ends: Uint32Array): Float64Array {
  const { length, visitorOf, pathOf, days, masks } = batch
  const next = Uint32Array.from(ends.keys(), visitor => (visitor === 0 ? 0 : (ends[visitor - 1] as number)))
  const views = new Float64Array(ends.at(-1) ?? 0)
  for (let i = 0; i < length; i++) {
    const day = days[i] as number
    if (day < keptFrom || masks[i] === asLabel) continue
    const visitor = visitorOf[i] as number
    const at = next[visitor] as number
    next[visitor] = at + 1
    views[at] = packView(day, pageNumbers[pathOf[i] as number] as number, (masks[i] as number) & ofView)
  }
  return views
}

/**
 * Yields the visitor numbers sorted by the first 32 bits of the visitors. The sort is fast, and the order is close enough
 * to that of the store.
 */
function* sortVisitors(visitors: Uint8Array): Generator<number> {
  const count = visitors.length / visitorBytes
  const view = new DataView(visitors.buffer, visitors.byteOffset, visitors.byteLength)
  const keys = new Float64Array(count)
  for (let i = 0; i < count; i++) keys[i] = view.getUint32(i * visitorBytes) * count + i
  keys.sort()
  for (let i = 0; i < count; i++) yield (keys[i] as number) % count
}
