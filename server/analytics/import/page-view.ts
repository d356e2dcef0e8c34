import type { Classification } from '../agents/classify.ts'
import { dayMs } from '../day.ts'

const earliestMs = Date.UTC(2000)

/** The rule of Markdown views by programs that no list names, if the operator counts them as AI. */
export const markdownView: Classification = { kind: 'ai', rule: 'ai: Markdown view' }

/**
 * Returns whether the Markdown views of this user agent may count as AI: a program that no list names. All other user
 * agents count alike on every page: a browser reads Markdown files to render them, and a search engine or curl is what
 * its name says.
 */
export function isUnnamed({ kind, rule }: Classification): boolean {
  return kind === 'neither' && (rule === 'empty' || rule === 'no browser' || rule.startsWith('isbot: '))
}

/** Returns whether an Accept header asks for Markdown (RFC 7763). Takes bytes as a latin1 string. */
export function acceptsMarkdown(accept: string): boolean {
  return /(?:^|,)\s*text\/markdown\s*(?=[;,]|$)(?!;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accept)
}

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
