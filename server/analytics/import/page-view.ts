import { dayMs } from '../day.ts'

const earliestMs = Date.UTC(2000)

/** The name of the rule for Markdown views, unless the user agent already counts as AI. */
export const markdownRuleName = 'ai: Markdown view'

/**
 * Returns whether the time of a line is possible: not before 2000, and not more than a day after `now`. Both times are in
 * milliseconds since 1970.
 */
export function isPossible(atMs: number, now: number): boolean {
  return atMs >= earliestMs && atMs <= now + dayMs
}

/** Returns whether the page was found: 2xx, or 304 because the client has the page in its cache. */
export function isFound(status: number): boolean {
  return (status >= 200 && status <= 299) || status === 304
}
