import type { Request, RequestHandler } from 'express'
import type { FindServerAddress } from './server-address.ts'

/** JSON first: a client that accepts anything, such as curl, is not a browser. */
export function isBrowser(req: Request): boolean {
  return req.accepts(['application/json', 'text/html']) === 'text/html'
}

/**
 * Answers `/`: redirects a browser, and sends other clients a list of addresses as JSON.
 *
 * @param startPage where browsers land; relative
 */
export function serveStart(findAddress: FindServerAddress, startPage: 'docs/' | 'dashboard/'): RequestHandler {
  return (req, res) => {
    res.vary('Accept')
    if (isBrowser(req)) {
      // Relative, for a proxy that adds a path; temporary, because the start page may move.
      return res.redirect(302, startPage)
    }
    const { url } = findAddress(req)
    res.json({ name: 'Quire', documentation: `${url}/docs/`, openapi: `${url}/openapi.json`, health: `${url}/healthz` })
  }
}
