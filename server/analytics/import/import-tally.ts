import type { Kind } from '../agents/agent-list.ts'
import type { Day } from '../day.ts'
import type { LineRefusal } from './decide-line.ts'
import type { UnreadableReason } from './delivery.ts'
import { listRules, type Rule } from './rules.ts'

/**
 * Counts the lines of an import by their result. `lines` is the sum of all counts in `views`, `filtered` and `malformed`.
 */
export class ImportTally {
  lines = 0
  /**
   * Lines that are not page views: not a GET, a status other than 2xx and 304, an asset, a file for programs, a header of
   * the log, a host without a registered site, or what a project does not count, see `CountingSettings`.
   */
  filtered = {
    method: 0,
    status: 0,
    asset: 0,
    'machine-file': 0,
    'router-data': 0,
    service: 0,
    scan: 0,
    'no-page': 0,
    'own-address': 0,
    comment: 0,
    'unknown-host': 0,
  }
  malformed: Record<UnreadableReason, number> = {
    'wrong-format': 0,
    'bad-address': 0,
    'bad-date': 0,
    'bad-path': 0,
    'too-long': 0,
  }
  /** Visitors first recorded on a day by this import, summed over its days; 0 for a repeated import. */
  newVisitorDays = 0
  /**
   * The number of `views` that are of pruned days, or of days whose visitor key was destroyed, and therefore not recorded.
   * Repetitions within a batch may count once.
   */
  tooOldViews = 0
  /** The number of AI `views` whose address belongs to their agent. */
  verifiedViews = 0
  #firstDay = Number.POSITIVE_INFINITY
  #lastDay = Number.NEGATIVE_INFINITY
  /** Views by rule number. */
  readonly #counts: number[] = []

  countRefusal({ group, name }: LineRefusal): void {
    const counts: Record<string, number> = this[group]
    counts[name] = (counts[name] as number) + 1
  }

  countView({ number }: Rule): void {
    while (this.#counts.length <= number) this.#counts.push(0)
    this.#counts[number] = (this.#counts[number] as number) + 1
  }

  /** Extends the range of days to include the day of a visitor's view. */
  addDay(day: Day): void {
    if (day < this.#firstDay) this.#firstDay = day
    if (day > this.#lastDay) this.#lastDay = day
  }

  /** First day with a view of a visitor; undefined when there is none. */
  get firstDay(): Day | undefined {
    return Number.isFinite(this.#firstDay) ? this.#firstDay : undefined
  }

  /** Last day with a view of a visitor; undefined when there is none. */
  get lastDay(): Day | undefined {
    return Number.isFinite(this.#lastDay) ? this.#lastDay : undefined
  }

  /** Page views by kind. Views of `neither` count for no visitor. */
  get views(): Record<Kind, number> {
    const views = { human: 0, ai: 0, neither: 0 }
    for (const { kind, number } of listRules()) views[kind] += this.#counts[number] ?? 0
    return views
  }

  /** Page views by the rule that classified them, highest first; see `Classification`. */
  get rules(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { name, number } of listRules()) {
      const count = this.#counts[number] ?? 0
      if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count)
    }
    return new Map([...counts].sort((a, b) => b[1] - a[1]))
  }

  /** Adds the counts of another tally. */
  add(other: ImportTally): void {
    this.lines += other.lines
    this.newVisitorDays += other.newVisitorDays
    this.tooOldViews += other.tooOldViews
    this.verifiedViews += other.verifiedViews
    addCounts(this.filtered, other.filtered)
    addCounts(this.malformed, other.malformed)
    for (const [number, count] of other.#counts.entries()) this.#counts[number] = (this.#counts[number] ?? 0) + count
    this.#firstDay = Math.min(this.#firstDay, other.#firstDay)
    this.#lastDay = Math.max(this.#lastDay, other.#lastDay)
  }
}

function addCounts<Name extends string>(counts: Record<Name, number>, more: Readonly<Record<Name, number>>): void {
  for (const name of Object.keys(more) as Name[]) counts[name] += more[name]
}

/** Sums all counts. */
export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
