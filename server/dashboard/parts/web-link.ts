import { html, type Markup } from './html.ts'

/** Shows an address that others wrote: as a link only if it is an http(s) address, and else as text. */
export function webLink(address: string): Markup {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) return html`<code>${address}</code>`
  return html`<a href="${url.href}" rel="noreferrer">${address}</a>`
}
