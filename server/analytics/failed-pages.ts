/**
 * Labels of pages that failed: `failed:human:missing/path site` has the people who came from a site to a page that does not
 * exist, `failed:ai:broken/path GPTBot` an agent whose page the server failed to send. The site is empty without a referrer.
 * The path has no space, see `toPage`.
 */
export interface FailedPage {
  kind: 'human' | 'ai'
  failure: Failure
  /** Undefined for all pages. */
  path?: string
  /** The site that people came from, or the name of the agent; undefined for all. */
  from?: string
}

/** `missing` = 404 or 410, `broken` = 5xx. */
export type Failure = 'missing' | 'broken'

const prefix = 'failed:'
/** Stands for the pages beyond the bounds. It is no path, and counts for the total only. */
const beyond = '*'
const maxPathCharacters = 500

/** Bounds for each kind of visitor, because there is no end of the paths that scanners invent. */
const maxOfDay = 500
const maxOfProject = 50_000

/** Returns the failure of a status; undefined = the request did not fail in this way. */
export function toFailure(status: number): Failure | undefined {
  if (status === 404 || status === 410) return 'missing'
  return status >= 500 && status <= 599 ? 'broken' : undefined
}

/** @param from see `FailedPage`; '' = no referrer */
export function toFailedLabel({ kind, failure, path = '', from = '' }: FailedPage): string {
  const total = `${prefix}${kind}:${failure}`
  if (path.length > maxPathCharacters) return total + beyond
  return total + path + (from && ` ${from}`)
}

/** Lists the labels under which the visitors of a failed page count: also for all visitors of the page, and for all pages. */
export function listCountedFailures(label: string): readonly string[] {
  const slash = label.indexOf('/')
  if (slash === -1) return [label, label.slice(0, -beyond.length)]
  const space = label.indexOf(' ')
  return [label, ...(space === -1 ? [] : [label.slice(0, space)]), label.slice(0, slash)]
}

/** Returns whether a path stands for the pages beyond the bounds. */
export function isBeyond(path: string): boolean {
  return path === beyond
}

export function isFailedLabel(label: string): boolean {
  return label.startsWith(prefix)
}

/** Returns whether a label is of a failed page. */
export function hasFailures(labels: ReadonlyMap<string, unknown>): boolean {
  for (const label of labels.keys()) if (isFailedLabel(label)) return true
  return false
}

/** @param text the label without its type */
export function parseFailedPage(text: string): FailedPage | undefined {
  const [, kind, failure, path, from] = /^(human|ai):(missing|broken)([*/]\S*)?(?: (.+))?$/.exec(text) ?? []
  if (kind === undefined) return undefined
  return {
    kind: kind as FailedPage['kind'],
    failure: failure as Failure,
    ...(path !== undefined && { path }),
    ...(from !== undefined && { from }),
  }
}

/**
 * Bounds the failed pages that are stored. Only what is stored decides, so a log that is imported again adds nothing. New
 * labels are known once they have a number and are added.
 */
export class FailureBounds {
  readonly #numbers = new Map<string, number>()
  /** See `kindOf`, by number of the label. */
  readonly #kinds = new Map<number, 'human' | 'ai'>()

  /** Adds the labels of the project; others than those of failed pages are ignored. */
  add(labels: Iterable<{ label: string; number: number }>): void {
    for (const { label, number } of labels) {
      if (!isFailedLabel(label)) continue
      this.#numbers.set(label, number)
      this.#kinds.set(number, kindOf(label))
    }
  }

  /**
   * Replaces the labels beyond the bounds.
   *
   * @param stored the numbers of the labels that are stored for the day
   */
  replace<Set>(
    sets: ReadonlyMap<string, Set>,
    stored: ReadonlySet<number>,
    unite: (sets: Set[]) => Set,
  ): Map<string, Set> {
    const left: Record<'human' | 'ai', number> = { human: maxOfDay, ai: maxOfDay }
    for (const number of stored) {
      const kind = this.#kinds.get(number)
      if (kind !== undefined) left[kind]--
    }
    let size = this.#numbers.size
    const isKept = (label: string): boolean => {
      const number = this.#numbers.get(label)
      if (label.endsWith(beyond) || (number !== undefined && stored.has(number))) return true
      if ((number === undefined && size >= maxOfProject) || left[kindOf(label)] <= 0) return false
      left[kindOf(label)]--
      if (number === undefined) size++
      return true
    }
    const bounded = new Map<string, Set>()
    for (const [label, visitors] of sets) {
      const kept = !isFailedLabel(label) || isKept(label) ? label : toBeyond(label)
      const others = bounded.get(kept)
      bounded.set(kept, others ? unite([others, visitors]) : visitors)
    }
    return bounded
  }
}

function kindOf(label: string): 'human' | 'ai' {
  return label.startsWith('ai', prefix.length) ? 'ai' : 'human'
}

function toBeyond(label: string): string {
  return label.slice(0, label.indexOf('/')) + beyond
}
