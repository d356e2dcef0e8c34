import { asAi, asHuman, type ViewBatch } from '../../../server/analytics/view-batch.ts'
import { createPaths } from './pages.ts'
import { scramble } from './random.ts'
import { Traffic, type TrafficPlan } from './traffic.ts'
import { Truth } from './truth.ts'

const daySeconds = 86_400
const visitorBytes = 16

/** Yields the views of a plan in batches of `size`, as an import passes them to the store. */
export function* makeViewBatches(plan: TrafficPlan, paths: readonly string[], size: number): Generator<ViewBatch> {
  const traffic = new Traffic(plan)
  const numberOf = { visitors: new Map<number, number>(), pages: new Map<number, number>() }
  const columns = {
    visitorOf: new Uint32Array(size),
    pathOf: new Uint32Array(size),
    days: new Int32Array(size),
    masks: new Uint8Array(size),
  }
  for (let left = plan.requests; left > 0; left -= size) {
    numberOf.visitors.clear()
    numberOf.pages.clear()
    const length = Math.min(size, left)
    for (let i = 0; i < length && traffic.next(); i++) {
      columns.visitorOf[i] = intern(numberOf.visitors, traffic.visitor)
      columns.pathOf[i] = intern(numberOf.pages, traffic.target)
      columns.days[i] = Math.floor(traffic.atSecond / daySeconds)
      columns.masks[i] = traffic.kind === 'ai' ? asAi : asHuman
    }
    yield {
      length,
      visitors: hashAll(numberOf.visitors.keys(), numberOf.visitors.size),
      paths: [...numberOf.pages.keys()].map(page => paths[page] as string),
      visitorOf: columns.visitorOf.slice(0, length),
      pathOf: columns.pathOf.slice(0, length),
      days: columns.days.slice(0, length),
      masks: columns.masks.slice(0, length),
    }
  }
}

/** Computes the correct counts of a plan's views. Generates the same requests again from the same seed. */
export function learnTruth(plan: TrafficPlan): Truth {
  const truth = new Truth({ firstDay: plan.from, paths: createPaths(plan.pages), capacity: plan.requests })
  const traffic = new Traffic(plan)
  while (traffic.next()) {
    truth.add(traffic.visitor, traffic.target, Math.floor(traffic.atSecond / daySeconds), traffic.kind === 'ai')
  }
  return truth
}

function intern(numbers: Map<number, number>, value: number): number {
  const known = numbers.get(value)
  if (known !== undefined) return known
  numbers.set(value, numbers.size)
  return numbers.size - 1
}

/** Returns 16 bytes per visitor that look like a hash, because such keys are expensive to store. The first four are distinct. */
function hashAll(visitors: Iterable<number>, count: number): Uint8Array {
  const hashes = new Uint8Array(count * visitorBytes)
  const words = new DataView(hashes.buffer)
  let at = 0
  for (const visitor of visitors) {
    let word = visitor
    for (let end = at + visitorBytes; at < end; at += 4) {
      word = scramble(word + 0x9e3779b9)
      words.setUint32(at, word)
    }
  }
  return hashes
}
