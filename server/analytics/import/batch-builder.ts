import { type Day, toDay } from '../day.ts'
import { ByteTable, HashSlots } from '../hash-table.ts'
import { loadedLabel } from '../labels.ts'
import { asLabel, type ViewBatch } from '../view-batch.ts'
import { type VisitorHash, visitorBytes } from '../visitor.ts'
import { RecentLoads } from './recent-loads.ts'
import type { UserAgent } from './user-agents.ts'

/** A browser loads the parts of a page within so many seconds of the page, also where a log is not in order. */
const loadSeconds = 5 * 60
/** Places of the three numbers of a visitor, see `#seen`. */
const viewedAt = 0
const loadedAt = 1
const labelledOn = 2
/** Period numbers are below this limit, so that user agent and period fit in one tag. */
const maxPeriods = 2 ** 20

/**
 * Collects the views of one project in columns. A view already in the batch is not added again, because writing a reload
 * to the store would cost more than all the work of this class.
 */
export class BatchBuilder {
  readonly #hash: VisitorHash
  /** Visitors by address, user agent and period. Kept after a batch because the next one has mostly the same. */
  readonly #visitors = new ByteTable()
  #visitorHashes = Buffer.allocUnsafe(256 * visitorBytes)
  /** Index of each visitor in this batch + 1; 0 = not in the batch. */
  #places = new Int32Array(256)

  /** Saves look-ups of clients for `addPart`. */
  readonly loads = new RecentLoads()
  /**
   * Three numbers a visitor, side by side because they are used together: the second since 1970 of the last page view as a person, that
   * of the last part of a page, and the last day with the label + 1; 0 = none.
   */
  #seen = new Uint32Array(256 * 3)

  #length = 0
  #visitorOf = new Uint32Array(256)
  #pathOf = new Uint32Array(256)
  #days = new Int32Array(256)
  #masks = new Uint8Array(256)
  /** The number of each visitor of this batch, by index in the batch. */
  #batchVisitors = new Uint32Array(256)
  #visitorCount = 0
  /** See `ViewBatch.agents`. */
  #agents: (string | undefined)[] = []
  #paths = new Map<string, number>()
  /** Indexes of the views, by the hash of visitor, path and day. */
  readonly #views = new HashSlots(256)

  constructor(hash: VisitorHash) {
    this.#hash = hash
  }

  /** Views in the batch. */
  get length(): number {
    return this.#length
  }

  /** Cached visitors. */
  get size(): number {
    return this.#visitors.size
  }

  /** Bytes of the addresses of the cached visitors. */
  get sizeBytes(): number {
    return this.#visitors.sizeBytes
  }

  /** Whether views of a day can be added; false = the visitor key of the day was destroyed. */
  canAdd(day: Day): boolean {
    return this.#hash.hasKey(day)
  }

  /**
   * Returns the number of a visitor in this batch, for `add`. The address is in `bytes` from `start` up to `end`. The
   * parameters of both methods are separate because an object would be allocated for every view.
   *
   * @param aiLabel the label of a view that counts as AI; undefined for others
   */
  findVisitor(
    bytes: Buffer,
    start: number,
    end: number,
    agent: UserAgent,
    day: Day,
    aiLabel: string | undefined,
  ): number {
    return this.#findPlace(this.#findCached(bytes, start, end, agent, day), aiLabel)
  }

  /**
   * Notes when a visitor of the batch viewed a page as a person, and adds the label if the visitor loaded a part of a page within
   * minutes.
   */
  noteView(visitor: number, atSecond: number, day: Day): void {
    const at = (this.#batchVisitors[visitor] as number) * 3
    this.#seen[at + viewedAt] = atSecond
    if (Math.abs(atSecond - (this.#seen[at + loadedAt] as number)) > loadSeconds) return
    if (this.#seen[at + labelledOn] === day + 1) return
    this.#seen[at + labelledOn] = day + 1
    this.add(visitor, loadedLabel, day, asLabel)
  }

  /**
   * Notes that a visitor loaded a part of a page, and adds the label if the visitor viewed one within minutes. Returns whether the label
   * of this day was added.
   */
  addPart(bytes: Buffer, start: number, end: number, agent: UserAgent, atSecond: number): boolean {
    const day = toDay(atSecond * 1000)
    const number = this.#findCached(bytes, start, end, agent, day)
    const at = number * 3
    const viewSecond = this.#seen[at + viewedAt] as number
    this.#seen[at + loadedAt] = atSecond
    if (Math.abs(atSecond - viewSecond) > loadSeconds) return false
    const dayOfView = toDay(viewSecond * 1000)
    if (this.#seen[at + labelledOn] !== dayOfView + 1) {
      this.#seen[at + labelledOn] = dayOfView + 1
      this.add(this.#findPlace(number, undefined), loadedLabel, dayOfView, asLabel)
    }
    return dayOfView === day
  }

  /**
   * Adds a view of a canonical path, see `toPage`; or a label.
   *
   * @param visitor see `findVisitor`
   */
  add(visitor: number, path: string, day: Day, mask: number): void {
    let page = this.#paths.get(path)
    if (page === undefined) {
      page = this.#paths.size
      this.#paths.set(path, page)
    }
    const views = this.#views
    for (let view = views.first(hashView(visitor, page, day)); view !== -1; view = views.next()) {
      if (this.#visitorOf[view] === visitor && this.#pathOf[view] === page && this.#days[view] === day) {
        this.#masks[view] = (this.#masks[view] as number) | mask
        return
      }
    }
    const view = this.#length++
    views.add(view)
    this.#visitorOf[view] = visitor
    this.#pathOf[view] = page
    this.#days[view] = day
    this.#masks[view] = mask
    if (this.#length === this.#days.length) this.#growViews()
  }

  /** Returns the batch and starts a new one; they share no memory. */
  take(): ViewBatch {
    const length = this.#length
    const visitors = new Uint8Array(this.#visitorCount * visitorBytes)
    for (let place = 0; place < this.#visitorCount; place++) {
      const number = this.#batchVisitors[place] as number
      const from = number * visitorBytes
      visitors.set(this.#visitorHashes.subarray(from, from + visitorBytes), place * visitorBytes)
      this.#places[number] = 0
    }
    const batch = {
      length,
      visitors,
      agents: this.#agents,
      paths: [...this.#paths.keys()],
      visitorOf: this.#visitorOf.slice(0, length),
      pathOf: this.#pathOf.slice(0, length),
      days: this.#days.slice(0, length),
      masks: this.#masks.slice(0, length),
    }
    this.#length = this.#visitorCount = 0
    this.#agents = []
    this.#paths = new Map()
    this.#views.clear()
    return batch
  }

  /** Clears the cached visitors. Call it between two batches; otherwise the batch may contain a visitor twice. */
  forgetVisitors(): void {
    if (this.#length > 0) throw new Error('Take the batch before forgetting its visitors.')
    this.#visitors.clear()
  }

  #findCached(bytes: Buffer, start: number, end: number, agent: UserAgent, day: Day): number {
    const tag = agent.number * maxPeriods + this.#hash.periodOf(day)
    const known = this.#visitors.find(bytes, start, end, tag)
    if (known !== -1) return known
    const number = this.#visitors.add(bytes, start, end, tag)
    if (number === this.#places.length) this.#growVisitors()
    this.#places[number] = 0
    this.#seen.fill(0, number * 3, number * 3 + 3)
    this.#hash.write(this.#visitorHashes, number * visitorBytes, bytes, start, end, agent.text, day)
    return number
  }

  #findPlace(visitor: number, aiLabel: string | undefined): number {
    const place = this.#places[visitor] as number
    if (place !== 0) {
      // An earlier view of this visitor did not count as AI.
      if (aiLabel !== undefined) this.#agents[place - 1] ??= aiLabel
      return place - 1
    }
    if (this.#visitorCount === this.#batchVisitors.length) this.#batchVisitors = doubled(this.#batchVisitors)
    this.#batchVisitors[this.#visitorCount++] = visitor
    this.#places[visitor] = this.#visitorCount
    this.#agents.push(aiLabel)
    return this.#visitorCount - 1
  }

  #growVisitors(): void {
    this.#places = doubled(this.#places)
    this.#seen = doubled(this.#seen)
    const larger = Buffer.allocUnsafe(this.#visitorHashes.length * 2)
    larger.set(this.#visitorHashes)
    this.#visitorHashes = larger
  }

  #growViews(): void {
    this.#visitorOf = doubled(this.#visitorOf)
    this.#pathOf = doubled(this.#pathOf)
    this.#days = doubled(this.#days)
    this.#masks = doubled(this.#masks)
  }
}

function hashView(visitor: number, page: number, day: Day): number {
  let hash = Math.imul(visitor, 0x9e3779b1) ^ Math.imul(page, 0x85ebca6b) ^ Math.imul(day, 0x27d4eb2f)
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
  return hash ^ (hash >>> 13)
}

type Column = Uint8Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

function doubled<T extends Column>(column: T): T {
  const larger = new (column.constructor as new (length: number) => T)(column.length * 2)
  larger.set(column)
  return larger
}
