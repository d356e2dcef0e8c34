import type { Request } from 'express'

/**
 * Whether a form was sent from a page of this server. Browsers say where a request comes from in Sec-Fetch-Site, and older ones in
 * Origin. A request with neither is no form of a browser, and has no cookie either.
 */
export function isFromOwnPage(req: Request, publicUrl: string): boolean {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = req.headers
  return origin === undefined || origin === new URL(publicUrl).origin
}
