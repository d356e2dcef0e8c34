/** A page to visit, with the spellings under which it was linked (`/a`, `/a/`, `/a/index.html`). */
export interface Candidate {
  key: string
  targets: string[]
  /** How many links use each spelling. */
  votes: number[]
  /** How many of the targets were tried. */
  tried: number
  /** A spelling that no link uses, tried first. It counts only if it gives the page. */
  assumed?: string
}

/** `/a`, `/a/`, `/a/index.html`, and an assumed one. */
const maxSpellings = 4

/** Counts a link to a page. True when its spelling is new. */
export function addSpelling({ targets, votes }: Candidate, target: string): boolean {
  const at = targets.indexOf(target)
  if (at !== -1) votes[at] = (votes[at] ?? 0) + 1
  if (at !== -1 || targets.length >= maxSpellings) return false
  targets.push(target)
  votes.push(1)
  return true
}

/** Sorts the untried spellings by their votes, most first. */
export function sortTargets(candidate: Candidate): void {
  const { targets, votes, tried } = candidate
  const rest = targets.slice(tried).map((target, at) => ({ target, votes: votes[tried + at] ?? 0 }))
  rest.sort((a, b) => b.votes - a.votes || (a.target < b.target ? -1 : 1))
  targets.splice(tried, rest.length, ...rest.map(({ target }) => target))
  votes.splice(tried, rest.length, ...rest.map(({ votes }) => votes))
}
