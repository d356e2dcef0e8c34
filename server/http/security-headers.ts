import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * Sets the headers that helmet gives to an API: nothing here is ever a page, and a page that is served sets its own policy.
 *
 * helmet decides once, here, and not once a request: none of its headers depends on the request.
 */
export function setSecurityHeaders(): RequestHandler {
  const headers = collectHeaders(
    helmet({
      // Other hosts below the domain are not ours to bind.
      strictTransportSecurity: { includeSubDomains: false },
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { 'default-src': "'none'", 'frame-ancestors': "'none'" },
      },
    }),
  )
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value)
    next()
  }
}

type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** The headers that a middleware sets on an answer to nobody. */
function collectHeaders(middleware: Middleware): [name: string, value: string][] {
  const headers: [string, string][] = []
  const res = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  }
  middleware({} as IncomingMessage, res as unknown as ServerResponse, error => {
    if (error) throw error
  })
  return headers
}
