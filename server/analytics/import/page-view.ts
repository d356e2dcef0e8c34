import { dayMs } from '../day.ts'

const earliestMs = Date.UTC(2000)

/** The rule that a Markdown view is counted under, unless its user agent already counts as AI. */
export const markdownRuleName = 'ai: Markdown view'

/** Whether the time of a line is possible: not before 2000, and not more than a day after `now`. Both in milliseconds since 1970. */
export function isPossible(atMs: number, now: number): boolean {
  return atMs >= earliestMs && atMs <= now + dayMs
}

/** Whether the page was found: 2xx, or 304 because the client has it cached. */
export function isFound(status: number): boolean {
  return (status >= 200 && status <= 299) || status === 304
}
