import type { Request } from 'express'

/**
 * Whether a form was sent from a page of this server. Browsers send Sec-Fetch-Site only over https and to this machine; otherwise
 * they send Origin. A request with neither is no form of a browser, and has no cookie either.
 *
 * The address that the browser used counts as well as the public URL: a server may be reached by several names. A page of another
 * site cannot choose the Host of its requests.
 */
export function isFromOwnPage(req: Request, publicUrl: string): boolean {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = req.headers
  if (origin === undefined) return true
  return origin === new URL(publicUrl).origin || URL.parse(origin)?.host === host
}
