import { html, type Markup } from './html.ts'

/**
 * Shows an instant. The page has it in UTC; its script writes it in the reader's time zone, and keeps UTC as the title.
 *
 * @param at milliseconds since 1970
 */
export function time(at: number): Markup {
  const instant = new Date(at).toISOString()
  const text = `${instant.slice(0, 16).replace('T', ' ')} UTC`
  return html`<time datetime="${instant}" title="${text}">${text}</time>`
}

/** Shows an instant with its second, where the order of events matters. */
export function timeWithSeconds(at: number): Markup {
  const instant = new Date(at).toISOString()
  const text = `${instant.slice(0, 19).replace('T', ' ')} UTC`
  return html`<time datetime="${instant}" title="${text}" data-seconds>${text}</time>`
}

/** Shows an instant in the future. The script of the page counts down to it. */
export function timeUntil(at: number): Markup {
  const instant = new Date(at).toISOString()
  const text = `${instant.slice(0, 19).replace('T', ' ')} UTC`
  return html`<time datetime="${instant}" title="${text}" data-until>${text}</time>`
}
