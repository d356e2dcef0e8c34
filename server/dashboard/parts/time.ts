import { describeAge } from '../../in-page/dashboard/describe-age.ts'
import { html, type Markup } from './html.ts'

/**
 * Shows an instant. The page has it in UTC; its script writes it in the reader's time zone, and keeps UTC as the title.
 *
 * @param at milliseconds since 1970
 */
export function time(at: number): Markup {
  const { instant, text } = write(at, 16)
  return html`<time datetime="${instant}" title="${text}">${text}</time>`
}

/** Shows in a list how long ago an instant was, or when it will be, with the exact time as the title. The script keeps it true. */
export function timeAgo(at: number, now: number): Markup {
  const { instant, text } = write(at, 19)
  return html`<time datetime="${instant}" title="${text}" data-ago>${describeAge(at - now)}</time>`
}

/** Shows an instant with its second, where the order of events matters. */
export function timeWithSeconds(at: number): Markup {
  const { instant, text } = write(at, 19)
  return html`<time datetime="${instant}" title="${text}" data-seconds>${text}</time>`
}

/** Shows an instant in the future. The script of the page counts down to it. */
export function timeUntil(at: number): Markup {
  const { instant, text } = write(at, 19)
  return html`<time datetime="${instant}" title="${text}" data-until>${text}</time>`
}

/** @param length of the text, without its zone: 16 = to the minute, 19 = to the second */
function write(at: number, length: number): { instant: string; text: string } {
  const instant = new Date(at).toISOString()
  return { instant, text: `${instant.slice(0, length).replace('T', ' ')} UTC` }
}
