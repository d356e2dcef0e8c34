import { startApp } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import { normalizeOwnPath } from './guard-page.ts'

/**
 * Returns markup for the static first page of an app that identifies its pages by fragments. At the app's own path at the
 * root of a host, the markup replaces the document with the page that the site sent. The scripts of that page then show
 * every page. In other places, the markup does nothing.
 *
 * @param shell the site's page as written to the bundle, decoded.
 * @param ownPath path of the page on the site, as written in an address.
 */
export function appMarkup(shell: string, ownPath: string): string {
  return `${begin}${callScript(startApp, normalizeOwnPath(ownPath), shell)}${end}`
}

/** Returns the page without the app. */
export function freezeApp(text: string): string {
  const from = text.indexOf(begin)
  const to = from === -1 ? -1 : text.indexOf(end, from)
  return to === -1 ? text : text.slice(0, from) + text.slice(to + end.length)
}

const begin = '<script data-quire-app>'
const end = '</script>'
