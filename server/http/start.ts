import type { RequestHandler } from 'express'
import type { FindServerAddress } from './server-address.ts'

/** Answers `/`: redirects a browser to the documentation, and sends other clients a list of addresses as JSON. */
export function serveStart(findAddress: FindServerAddress): RequestHandler {
  return (req, res) => {
    res.vary('Accept')
    // JSON first: a client that accepts anything, such as curl, is not a browser.
    if (req.accepts(['application/json', 'text/html']) === 'text/html') {
      // Relative, for a proxy that adds a path; temporary, because the start page may move.
      return res.redirect(302, 'docs/')
    }
    const { url } = findAddress(req)
    res.json({ name: 'Quire', documentation: `${url}/docs/`, openapi: `${url}/openapi.json`, health: `${url}/healthz` })
  }
}
