/** Days since 1970-01-01 in UTC; `to` is exclusive. */
export interface Range {
  from: number
  to: number
}

/** Numbers of distinct visitors. A visitor who was seen as human and as AI counts once in the total. */
export type Counts = [human: number, ai: number, total: number]

export interface RangeTruth {
  site: Counts
  /** Visited pages, highest total first, then by path in byte order. */
  pages: { path: string; counts: Counts }[]
}

const visitorLimit = 2 ** 27
const dayLimit = 2 ** 10
const pageLimit = 2 ** 15
/** Number of ranges counted in one pass. Each range uses a byte per visitor. */
const rangesPerPass = 10

/**
 * Computes exact counts of any range without the tested code. Each view is a number of 8 bytes (page, visitor, day, kind).
 * Sorting the numbers groups the visitors of a page.
 */
export class Truth {
  readonly #firstDay: number
  readonly #paths: readonly string[]
  readonly #keys: Float64Array<ArrayBuffer>
  #length = 0
  #visitors = 0
  #isSorted = true

  constructor({ firstDay, paths, capacity }: { firstDay: number; paths: readonly string[]; capacity: number }) {
    if (paths.length > pageLimit) throw new RangeError(`Too many pages: the limit is ${pageLimit}.`)
    this.#firstDay = firstDay
    this.#paths = paths
    this.#keys = new Float64Array(capacity)
  }

  /** Records a view; `page` is an index into the paths. */
  add(visitor: number, page: number, day: number, asAi: boolean): void {
    const age = day - this.#firstDay
    if (visitor >= visitorLimit || age < 0 || age >= dayLimit) throw new RangeError('Too many visitors or days.')
    if (this.#length === this.#keys.length) throw new RangeError('Too many views for the given capacity.')
    if (visitor >= this.#visitors) this.#visitors = visitor + 1
    this.#keys[this.#length++] = ((page * visitorLimit + visitor) * dayLimit + age) * 2 + (asAi ? 1 : 0)
    this.#isSorted = false
  }

  /** Calls `each` once per page, visitor and day, in this order. Mask: 1 = human, 2 = AI, 3 = both. */
  forEach(each: (visitor: number, page: number, day: number, mask: number) => void): void {
    const keys = this.#sort()
    let mask = 0
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as number
      const view = Math.floor(key / 2)
      mask |= key === view * 2 ? 1 : 2
      if (i + 1 < keys.length && Math.floor((keys[i + 1] as number) / 2) === view) continue
      const who = Math.floor(view / dayLimit)
      const page = Math.floor(who / visitorLimit)
      each(who - page * visitorLimit, page, view - who * dayLimit + this.#firstDay, mask)
      mask = 0
    }
  }

  /** Number of views, distinct by visitor, page and day. */
  countDistinct(): number {
    let count = 0
    this.forEach(() => {
      count++
    })
    return count
  }

  /** Counts the visitors of the site and of every page in each range. One pass over all views counts several ranges. */
  count(ranges: readonly Range[]): RangeTruth[] {
    const passes = Math.ceil(ranges.length / rangesPerPass)
    return Array.from({ length: passes }, (_, pass) =>
      this.#countSome(ranges.slice(pass * rangesPerPass, (pass + 1) * rangesPerPass)),
    ).flat()
  }

  #countSome(ranges: readonly Range[]): RangeTruth[] {
    const ofSite = ranges.map(() => new Uint8Array(this.#visitors))
    const ofPages = ranges.map(() => new Uint32Array(this.#paths.length * 4))
    const masks = new Uint8Array(ranges.length)
    let [lastPage, lastVisitor] = [-1, -1]
    const settle = () => {
      for (let r = 0; r < masks.length; r++) {
        const mask = masks[r] as number
        if (mask === 0) continue
        const counts = ofPages[r] as Uint32Array
        const at = lastPage * 4 + mask
        counts[at] = (counts[at] as number) + 1
        const seen = ofSite[r] as Uint8Array
        seen[lastVisitor] = (seen[lastVisitor] as number) | mask
        masks[r] = 0
      }
    }
    this.forEach((visitor, page, day, mask) => {
      if (visitor !== lastVisitor || page !== lastPage) {
        settle()
        lastVisitor = visitor
        lastPage = page
      }
      for (let r = 0; r < masks.length; r++) {
        const { from, to } = ranges[r] as Range
        if (day >= from && day < to) masks[r] = (masks[r] as number) | mask
      }
    })
    settle()
    return ranges.map((_, r) => ({
      site: countSite(ofSite[r] as Uint8Array),
      pages: this.#listPages(ofPages[r] as Uint32Array),
    }))
  }

  #listPages(byMask: Uint32Array): RangeTruth['pages'] {
    return this.#paths
      .map((path, page) => ({ path, counts: toCounts(byMask.subarray(page * 4, page * 4 + 4)) }))
      .filter(({ counts }) => counts[2] > 0)
      .sort((a, b) => b.counts[2] - a.counts[2] || Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  }

  #sort(): Float64Array {
    const keys = this.#keys.subarray(0, this.#length)
    if (!this.#isSorted) keys.sort()
    this.#isSorted = true
    return keys
  }
}

function countSite(seen: Uint8Array): Counts {
  const byMask = new Uint32Array(4)
  for (let i = 0; i < seen.length; i++) {
    const mask = seen[i] as number
    byMask[mask] = (byMask[mask] as number) + 1
  }
  return toCounts(byMask)
}

function toCounts(byMask: Uint32Array): Counts {
  const [, human = 0, ai = 0, both = 0] = byMask
  return [human + both, ai + both, human + ai + both]
}
