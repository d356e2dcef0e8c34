import type { Day } from '../day.ts'
import { asAi } from '../view-batch.ts'
import type { AgentPages, AgentReadings } from '../visit-counts.ts'
import type { VisitorSet } from './label-sets.ts'
import type { DaySpan } from './range-plan.ts'
import { createSeenPages, decodeSeenPages } from './seen-pages.ts'
import { readSeenRow, type SeenDay, type SeenRow } from './seen-rows.ts'

/**
 * Counts the pages that each AI agent read in a range. Nothing is stored for it: the sets of the agents have the visitors, and the
 * rows of the visitors have their pages. Add the agents, then the rows of each of their visitors.
 */
export class AgentPageCounter {
  /** By agent: the visitors of each page. */
  readonly #agents = new Map<string, Uint32Array>()
  /** By visitor: the counts of its agents, mostly one. */
  readonly #countsOf = new Map<number, readonly Uint32Array[]>()
  readonly #decoded = createSeenPages()
  /** By page: the last visitor that read it. */
  readonly #lastVisitor: Uint32Array
  /** By page: the visitors of all agents. */
  readonly #all: Uint32Array
  #visitor = 0

  /** @param pageCount number of the pages of the project */
  constructor(pageCount: number) {
    this.#lastVisitor = new Uint32Array(pageCount + 1)
    this.#all = new Uint32Array(pageCount + 1)
  }

  /** Adds the visitors of an agent on a day. */
  addAgent(agent: string, visitors: VisitorSet): void {
    let counts = this.#agents.get(agent)
    if (!counts) {
      counts = new Uint32Array(this.#lastVisitor.length)
      this.#agents.set(agent, counts)
    }
    const only = [this.#all, counts]
    for (const visitor of visitors) {
      const known = this.#countsOf.get(visitor)
      if (!known) this.#countsOf.set(visitor, only)
      else if (!known.includes(counts)) this.#countsOf.set(visitor, [...known, counts])
    }
  }

  /** Lists the visitors of all agents in ascending order. */
  listVisitors(): VisitorSet {
    return Float64Array.from(this.#countsOf.keys()).sort()
  }

  /** Adds all rows of a visitor. */
  addRows(visitor: number, rows: Iterable<SeenRow>, { from, to }: DaySpan): void {
    const counts = this.#countsOf.get(visitor) ?? []
    this.#visitor++
    const days: SeenDay[] = []
    for (const row of rows) readSeenRow(row, days)
    for (const { day, bytes, start, end } of days) {
      if (day < from || day >= to) continue
      decodeSeenPages(bytes, this.#decoded, start, end)
      this.#addDay(counts)
    }
  }

  finish(): Pick<AgentPages, 'agents' | 'all'> {
    return {
      agents: new Map(Array.from(this.#agents, ([agent, counts]) => [agent, toReadings(counts)])),
      all: toReadings(this.#all),
    }
  }

  #addDay(counts: readonly Uint32Array[]): void {
    const { length, pages, masks } = this.#decoded
    for (let i = 0; i < length; i++) {
      const page = pages[i] as number
      // People may have the same address and user agent as a reader of Markdown that counts as AI.
      if (((masks[i] as number) & asAi) === 0 || this.#lastVisitor[page] === this.#visitor) continue
      this.#lastVisitor[page] = this.#visitor
      for (const ofAgent of counts) ofAgent[page] = (ofAgent[page] as number) + 1
    }
  }
}

/** Finds who read one page as AI, and when. Add the rows of each visitor. */
export class PageReaders {
  /** The first 48 bits of the visitors. */
  readonly byDay = new Map<Day, Set<number>>()
  readonly #page: number
  readonly #span: DaySpan
  readonly #decoded = createSeenPages()

  /** @param index of the page in its directory */
  constructor(index: number, span: DaySpan) {
    this.#page = index + 1
    this.#span = span
  }

  /** Adds all rows of a visitor. */
  addRows(visitor: number, rows: Iterable<SeenRow>): void {
    const days: SeenDay[] = []
    for (const row of rows) readSeenRow(row, days)
    for (const { day, bytes, start, end } of days) {
      if (day < this.#span.from || day >= this.#span.to) continue
      decodeSeenPages(bytes, this.#decoded, start, end)
      if (!this.#isRead()) continue
      const known = this.byDay.get(day)
      if (known) known.add(visitor)
      else this.byDay.set(day, new Set([visitor]))
    }
  }

  #isRead(): boolean {
    const { length, pages, masks } = this.#decoded
    const at = pages.subarray(0, length).indexOf(this.#page)
    return at !== -1 && ((masks[at] as number) & asAi) !== 0
  }
}

function toReadings(counts: Uint32Array): AgentReadings {
  const numbers = Uint32Array.from(counts.keys()).filter(number => counts[number] !== 0)
  const visitors = numbers.map(number => counts[number] as number)
  return { pages: numbers.map(number => number - 1), visitors }
}

/** Returns the first day whose visitors are known: those of earlier days were pruned, or their key was destroyed. */
export function findReadFrom(keptFrom: Day, destroyed: readonly { to: Day }[]): Day {
  return Math.max(keptFrom, ...destroyed.map(({ to }) => to))
}
