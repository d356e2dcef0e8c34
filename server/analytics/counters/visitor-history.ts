import type { Day } from '../day.ts'
import { asAi, asHuman } from '../view-batch.ts'
import type { CellChanges } from './cell-changes.ts'
import { never, site } from './cells.ts'
import { createSeenPages, decodeSeenPages, encodeSeenPages, pushSeenPage, type SeenPages } from './seen-pages.ts'
import { latestDay, type SeenDay, type SeenDays } from './seen-rows.ts'

/** New views of one visitor in ascending order, see `packView`. They may contain repetitions. */
export type PackedViews = Float64Array

const pageScale = 4
/** Page numbers have 31 bits and the mask has two. That leaves 20 bits for the day; 17 bits suffice up to the year 2299. */
const dayScale = 2 ** 33

/** Packs day, page and mask into one number that sorts in this order. */
export function packView(day: Day, page: number, mask: number): number {
  return day * dayScale + page * pageScale + mask
}

/** Number of kinds: human, AI, any. */
const kinds = 3
const ofAny = 2
/** States per page: for each kind, the previous day without the new views and the previous day with them. */
const statesPerPage = 2 * kinds

/**
 * Adds views to the days of a visitor, and adds the resulting counter changes to `changes`.
 *
 * For each page and kind, the days of its views form a chain, and each day is counted under the previous day in the
 * chain. A new day between two others is counted under the earlier day, and the later day is moved to the new day. So at
 * most three counters change, in any order of arrival.
 */
export class VisitorHistory {
  readonly #seen: SeenDays
  readonly #changes: CellChanges
  readonly #decoded = createSeenPages()
  /** The pages of each day since the first new day, before and after adding the new views. */
  readonly #before = createSeenPages()
  readonly #after = createSeenPages()
  /** By page number: the page's index among the changed pages + 1; 0 = unchanged. */
  #places = new Uint32Array(1024)
  #changed: number[] = []
  #added: number[] = []
  #states = new Int32Array(64 * statesPerPage)
  /** See `newViews`; of the visitor that is being added. */
  #newOfVisitor = 0
  /** Views added so far that were not known: pages of a day that the visitor had not seen, or not as this kind. */
  newViews = 0

  constructor(seen: SeenDays, changes: CellChanges) {
    this.#seen = seen
    this.#changes = changes
  }

  /**
   * Adds the views and returns the number of days that are new for the visitor. After an error of `SeenDays`, no change was added, and
   * the visitor can be added again.
   */
  add(visitor: Uint8Array, views: PackedViews): number {
    if (this.#changed.length > 0) this.#forgetChanges()
    this.#newOfVisitor = 0
    const firstDay = Math.floor((views[0] as number) / dayScale)
    this.#seen.open(visitor)
    const { known, earlier } = this.#listKnown(firstDay)
    const days = this.#merge(views, known)
    if (this.#changed.length === 0) return 0
    this.#findPredecessors(earlier)
    const newDays = this.#countDays(days)
    this.#forgetChanges()
    this.newViews += this.#newOfVisitor
    return newDays
  }

  #forgetChanges(): void {
    for (const page of this.#changed) this.#places[page] = 0
    this.#changed = []
    this.#added = []
  }

  /** Lists the known days since the first new day in ascending order, and the latest days before it in descending order. */
  #listKnown(firstDay: Day): { known: SeenDay[]; earlier: readonly SeenDay[] } {
    const known: SeenDay[] = []
    for (;;) {
      const days = this.#seen.listEarlier()
      const ofEarlier = days.findIndex(({ day }) => day < firstDay)
      if (ofEarlier === 0 && known.length === 0) return { known, earlier: days }
      known.push(...(ofEarlier === -1 ? days : days.slice(0, ofEarlier)))
      if (ofEarlier !== -1 || days.length === 0) {
        return { known: known.reverse(), earlier: ofEarlier === -1 ? [] : days.slice(ofEarlier) }
      }
    }
  }

  /** Writes the days that change, collects all days in `#before` and `#after`, and returns each day's position there. */
  #merge(views: PackedViews, known: readonly SeenDay[]): MergedDay[] {
    this.#before.length = 0
    this.#after.length = 0
    const days: MergedDay[] = []
    let at = 0
    let next = 0
    while (at < views.length || next < known.length) {
      const dayOfViews = at < views.length ? Math.floor((views[at] as number) / dayScale) : latestDay
      const dayKnown = known[next]?.day ?? latestDay
      const day = Math.min(dayOfViews, dayKnown)
      const old = dayKnown === day ? known[next++] : undefined
      this.#decoded.length = 0
      if (old) decodeSeenPages(old.bytes, this.#decoded, old.start, old.end)
      const start = this.#after.length
      const end = dayOfViews === day ? endOfDay(views, at, day) : at
      const isChanged = this.#mergeDay(views, at, end)
      at = end
      days.push({ day, start, end: this.#after.length })
      if (!isChanged) continue
      this.#seen.put(day, encodeSeenPages(sliceFrom(this.#after, start)))
    }
    return days
  }

  /** Merges the views of one day, from `at` up to `end`, with those in `#decoded`. Returns whether a view is new. */
  #mergeDay(views: PackedViews, at: number, end: number): boolean {
    const { pages, masks, length } = this.#decoded
    let isChanged = false
    let old = 0
    while (at < end || old < length) {
      const pageOfViews = at < end ? pageOf(views[at] as number) : Number.POSITIVE_INFINITY
      const pageKnown = old < length ? (pages[old] as number) : Number.POSITIVE_INFINITY
      const page = Math.min(pageOfViews, pageKnown)
      const before = pageKnown === page ? (masks[old++] as number) : 0
      let after = before
      while (at < end && pageOf(views[at] as number) === page) after |= (views[at++] as number) % pageScale
      pushSeenPage(this.#before, page, before)
      pushSeenPage(this.#after, page, after)
      if (after === before) continue
      isChanged = true
      this.#newOfVisitor++
      this.#markChanged(page, after & ~before)
    }
    return isChanged
  }

  #markChanged(page: number, added: number): void {
    if (this.#changed.length === 0) this.#place(site)
    if (page >= this.#places.length) {
      const places = this.#places
      this.#places = new Uint32Array(2 ** Math.ceil(Math.log2(page + 1)))
      this.#places.set(places)
    }
    if (this.#places[page] === 0) this.#place(page)
    const place = (this.#places[page] as number) - 1
    this.#added[place] = (this.#added[place] as number) | added
    this.#added[0] = (this.#added[0] as number) | added
  }

  #place(page: number): void {
    const place = this.#changed.push(page) - 1
    this.#places[page] = place + 1
    this.#added[place] = 0
    if (this.#states.length < (place + 1) * statesPerPage) {
      const states = this.#states
      this.#states = new Int32Array(states.length * 2)
      this.#states.set(states)
    }
    this.#states.fill(never, place * statesPerPage, (place + 1) * statesPerPage)
  }

  /** Reads the earlier days, latest first, until the previous day of every changed page is found. */
  #findPredecessors(earlier: readonly SeenDay[]): void {
    const missing = new Set(this.#changed.keys())
    for (let days = earlier; days.length > 0; days = this.#seen.listEarlier()) {
      for (const { day, bytes, start, end } of days) {
        decodeSeenPages(bytes, this.#decoded, start, end)
        let ofSite = 0
        for (let i = 0; i < this.#decoded.length; i++) {
          const mask = this.#decoded.masks[i] as number
          ofSite |= mask
          const page = this.#decoded.pages[i] as number
          const place = page < this.#places.length ? (this.#places[page] as number) : 0
          if (place !== 0 && this.#notePredecessor(place - 1, day, mask)) missing.delete(place - 1)
        }
        if (this.#notePredecessor(0, day, ofSite)) missing.delete(0)
        if (missing.size === 0) return
      }
    }
  }

  /** Stores a previous day of the page. Returns whether all previous days that the page's changes need are known. */
  #notePredecessor(place: number, day: Day, mask: number): boolean {
    const states = this.#states
    const at = place * statesPerPage
    const added = this.#added[place] as number
    for (let kind = 0; kind <= ofAny; kind++) {
      if (!isSeenAs(kind, mask) || states[at + kind] !== never) continue
      states[at + kind] = day
      states[at + kind + kinds] = day
    }
    return (
      states[at + ofAny] !== never &&
      ((added & asHuman) === 0 || states[at] !== never) &&
      ((added & asAi) === 0 || states[at + 1] !== never)
    )
  }

  #countDays(days: readonly MergedDay[]): number {
    let newDays = 0
    for (const { day, start, end } of days) {
      let siteBefore = 0
      let siteAfter = 0
      for (let i = start; i < end; i++) {
        const before = this.#before.masks[i] as number
        const after = this.#after.masks[i] as number
        siteBefore |= before
        siteAfter |= after
        const page = this.#after.pages[i] as number
        const place = page < this.#places.length ? (this.#places[page] as number) : 0
        if (place !== 0) this.#count(place - 1, page, day, before, after)
      }
      this.#count(0, site, day, siteBefore, siteAfter)
      if (siteBefore === 0 && siteAfter !== 0) newDays++
    }
    return newDays
  }

  /**
   * Counts one day in the chain of a page: subtracts it from the old counter and adds it to the new one. This method and
   * the next two have separate parameters because an object would be allocated for every view.
   */
  #count(place: number, page: number, day: Day, before: number, after: number): void {
    const states = this.#states
    const at = place * statesPerPage
    const isNewOfOneKind = before === 0 && after !== asHuman + asAi
    if (isNewOfOneKind && states[at + after - 1 + kinds] === states[at + ofAny + kinds]) {
      // The common case: the kind of the views and `any` are counted under the same day.
      const isHuman = after === asHuman ? 1 : 0
      this.#changes.add(day, states[at + ofAny + kinds] as number, page, isHuman, 1 - isHuman, 1)
    } else {
      for (let kind = 0; kind <= ofAny; kind++) this.#countKind(kind, at + kind, page, day, before, after)
    }
    for (let kind = 0; kind <= ofAny; kind++) {
      if (isSeenAs(kind, before)) states[at + kind] = day
      if (isSeenAs(kind, after)) states[at + kind + kinds] = day
    }
  }

  #countKind(kind: number, at: number, page: number, day: Day, before: number, after: number): void {
    if (!isSeenAs(kind, after)) return
    const previousBefore = this.#states[at] as number
    const previousAfter = this.#states[at + kinds] as number
    if (isSeenAs(kind, before)) {
      if (previousBefore === previousAfter) return
      this.#addOne(kind, day, previousBefore, page, -1)
    }
    this.#addOne(kind, day, previousAfter, page, 1)
  }

  #addOne(kind: number, day: Day, previous: Day, page: number, count: number): void {
    this.#changes.add(day, previous, page, kind === 0 ? count : 0, kind === 1 ? count : 0, kind === ofAny ? count : 0)
  }
}

interface MergedDay {
  day: Day
  /** Index into `#before` and `#after`. */
  start: number
  end: number
}

/** Returns whether a mask includes a kind: 0 = human, 1 = AI, 2 = any. */
function isSeenAs(kind: number, mask: number): boolean {
  return kind === ofAny ? mask !== 0 : (mask & (kind + 1)) !== 0
}

function pageOf(view: number): number {
  return Math.floor((view % dayScale) / pageScale)
}

function endOfDay(views: PackedViews, start: number, day: Day): number {
  const next = (day + 1) * dayScale
  let end = start
  while (end < views.length && (views[end] as number) < next) end++
  return end
}

function sliceFrom({ length, pages, masks }: SeenPages, start: number): SeenPages {
  return { length: length - start, pages: pages.subarray(start, length), masks: masks.subarray(start, length) }
}
