/** A page to visit, with the spellings under which it was linked (`/a`, `/a/`, `/a/index.html`). */
export interface Candidate {
  key: string
  targets: string[]
  /** Number of links per spelling, in the order of `targets`. */
  votes: number[]
  /** Number of targets tried so far. */
  tried: number
  /** Whether a list of the site or the navigation of a page names it. */
  isListed: boolean
  /** A spelling that no link uses. It is tried first, and counts only if it returns the page. */
  assumed?: string
}

/** Max spellings of a page: `/a`, `/a/`, `/a/index.html` and an assumed one. */
const maxSpellings = 4

/** Counts a link to a page. Returns true when its spelling is new. */
export function addSpelling({ targets, votes }: Candidate, target: string): boolean {
  const at = targets.indexOf(target)
  if (at !== -1) votes[at] = (votes[at] ?? 0) + 1
  if (at !== -1 || targets.length >= maxSpellings) return false
  targets.push(target)
  votes.push(1)
  return true
}

/** Sorts the untried spellings by votes, in descending order. */
export function sortTargets(candidate: Candidate): void {
  const { targets, votes, tried } = candidate
  const rest = targets.slice(tried).map((target, at) => ({ target, votes: votes[tried + at] ?? 0 }))
  rest.sort((a, b) => b.votes - a.votes || (a.target < b.target ? -1 : 1))
  targets.splice(tried, rest.length, ...rest.map(({ target }) => target))
  votes.splice(tried, rest.length, ...rest.map(({ votes }) => votes))
}
