import { dayMs } from '../day.ts'

const earliestMs = Date.UTC(2000)

/** The rule that a Markdown view counts by, unless its user agent is that of AI anyway. */
export const markdownRuleName = 'ai: Markdown view'

/** Whether a log may have a line of this instant: none before 2000, none over a day ahead. Both in milliseconds since 1970. */
export function isPossible(atMs: number, now: number): boolean {
  return atMs >= earliestMs && atMs <= now + dayMs
}

/** Whether the page was there: 2xx, or 304 since the reader has it already. */
export function isFound(status: number): boolean {
  return (status >= 200 && status <= 299) || status === 304
}
