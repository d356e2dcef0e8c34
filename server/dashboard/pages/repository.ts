import { noPageHost } from '../../base/no-page-host.ts'
import { html, type Markup } from '../parts/html.ts'
import { agentJobTexts as texts } from '../texts/agent-jobs.ts'

/** Returns the address of the repository of a job, and for one without a page its name. */
export function describeRepository(address: string): string {
  const url = URL.parse(address)
  return url?.hostname === noPageHost ? texts.noPage(url.pathname.slice(1)) : address
}

/** Shows an address that others wrote: as a link only if it is an http(s) address that leads somewhere, and else as text. */
export function webLink(address: string): Markup {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === noPageHost)
    return html`<code>${describeRepository(address)}</code>`
  return html`<a href="${url.href}" rel="noreferrer">${address}</a>`
}
