/** A link to look at: one page, and the spellings under which it was linked (`/a`, `/a/`, `/a/index.html`). */
export interface Candidate {
  key: string
  targets: string[]
  /** How many links are written like each of them. */
  votes: number[]
  /** How many of the targets were tried. */
  tried: number
  /** A spelling that nobody wrote, tried first: it counts only when it gives the page. */
  assumed?: string
}

/** Puts the spellings that were not tried in the order of how many links are written so. */
export function sortTargets(candidate: Candidate): void {
  const { targets, votes, tried } = candidate
  const rest = targets.slice(tried).map((target, at) => ({ target, votes: votes[tried + at] ?? 0 }))
  rest.sort((a, b) => b.votes - a.votes || (a.target < b.target ? -1 : 1))
  targets.splice(tried, rest.length, ...rest.map(({ target }) => target))
  votes.splice(tried, rest.length, ...rest.map(({ votes }) => votes))
}
